import { type GeneralCheck, passed, problem } from '../check.js';

export const secrets: GeneralCheck = {
  id: 'secrets',
  needs: ['sessions'],
  async run(context) {
    const sessions = await context.sessions();
    const shared = sessions.filter(({ secretSharedWith }) => secretSharedWith !== undefined);
    const [first] = shared;
    if (!first) return passed('no two sessions share an API secret');
    const names = [
      ...new Set(shared.flatMap((one) => [one.clientId, ...(one.secretSharedWith ?? [])])),
    ].sort();
    const detail = `one API secret opens several sessions: ${names.join(', ')}`;
    const advice = `give each its own: switchboard sessions secret ${first.clientId}`;
    return problem('secret-shared', detail, advice, { sessions: names.join(', ') });
  },
};
