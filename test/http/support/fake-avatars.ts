import type { GatewayError } from '../../../src/domain/errors.js';
import type { AvatarCounts, Avatars, PictureView } from '../../../src/services/services.js';

/** Shows Bob's picture to every known session. */
export class FakeAvatars implements Avatars {
  /** What was asked for: the method's name and its arguments. */
  readonly asked: unknown[][] = [];
  failure: GatewayError | undefined;
  readonly #sessions: { get(clientId: string): object };

  constructor(sessions: { get(clientId: string): object }) {
    this.#sessions = sessions;
  }

  async picture(
    clientId: string,
    jid: string,
    wishes: { preview: boolean; refresh: boolean },
  ): Promise<PictureView> {
    this.#note(clientId, ['picture', jid, wishes]);
    const type = wishes.preview ? 'preview' : 'full';
    const storedUrl = 'https://files.example/media/1/picture.jpg';
    return {
      jid: '90000000000002@lid',
      id: '1',
      type,
      url: 'https://pps.example/1',
      storedUrl,
      mirrored: true,
    };
  }

  async refreshAll(clientId: string, force: boolean): Promise<AvatarCounts> {
    this.#note(clientId, ['refreshAll', force]);
    return { rooms: 3, updated: 1, skipped: 1, noPhoto: 1, failed: 0 };
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.asked.push(call);
  }
}
