import { render } from 'ink';
import { wantsColor } from '../cli/paint.js';
import type { PairEnd } from '../cli/pair.js';
import type { PairRenderer } from '../cli/pair-lines.js';
import { PairScreen } from './screens/pair-screen.js';

/** For a terminal: the pairing as a live picture, which is gone but for its last line when it ends. */
export function renderPairScreen(clientId: string): PairRenderer {
  return async (items) => {
    let end: PairEnd | undefined;
    const screen = render(
      <PairScreen
        clientId={clientId}
        items={items}
        color={wantsColor(process.stdout)}
        onEnd={(last) => {
          end = last;
          screen.unmount();
        }}
      />,
      { exitOnCtrlC: false },
    );
    await screen.waitUntilExit();
    if (!end) throw new Error('the pairing ended without its last item');
    return end;
  };
}
