import { fine, type GeneralCheck, wrong } from '../check.js';

/** Is Node new enough for this program? */
export const node: GeneralCheck = {
  id: 'node',
  needs: [],
  async look({ options: { program } }) {
    const { nodeVersion, nodeRange } = program;
    const facts = { version: nodeVersion, needed: nodeRange };
    if (isAtLeast(nodeVersion, nodeRange)) return fine(`Node ${nodeVersion}`, facts);
    const detail = `Node ${nodeVersion} is too old`;
    return wrong('node-too-old', detail, `install Node ${nodeRange}, and run the daemon with it`, facts);
  },
};

/** @param range `>=20.19`, the only form that the manifest uses */
function isAtLeast(version: string, range: string): boolean {
  const [oldest, actual] = [numbersIn(range), numbersIn(version)];
  const at = oldest.findIndex((number, index) => number !== (actual[index] ?? 0));
  return at < 0 || (actual[at] ?? 0) > (oldest[at] ?? 0);
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}
