import { QueryIds } from '@whiskeysockets/baileys';
import { isObject, parseObject } from '../../../domain/json.js';
import { chatLimit, timeLock } from '../../people/restrictions.js';
import type { Account } from '../../state/account.js';
import type { Network } from '../../state/network.js';
import { IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { stanza, textOf } from '../../wire/stanza.js';
import { answerChannelQuery, CHANNEL_QUERIES } from './channel-queries.js';
import { asker, asks, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

type Answer = (network: Network, account: Account, variables: unknown) => object;

/** Sets the text that current clients show below a name (whatsmeow `SetStatusMessage`, zapo `UpdateTextStatus`). */
const UPDATE_TEXT_STATUS = '9152604461510864';

/** Answers by the id of the stored query, with the name of the answer's field. */
const QUERIES: Record<string, [field: string, answer: Answer]> = {
  [UPDATE_TEXT_STATUS]: ['xwa2_update_text_status', setTextStatus],
  [QueryIds.REACHOUT_TIMELOCK]: ['xwa2_fetch_account_reachout_timelock', timeLock],
  [QueryIds.MESSAGE_CAPPING_INFO]: ['xwa2_message_capping_info', chatLimit],
};

/** Stored GraphQL queries: the restrictions of the account, and channels. User names and others are not played. */
export const mex: IqNamespace = {
  xmlns: 'w:mex',
  answer(request) {
    const id = asks(request, 'get', 'query') ? (request.body?.attrs.query_id ?? '') : '';
    const ofChannel = CHANNEL_QUERIES.get(id);
    if (ofChannel) {
      const asked = { network: request.network, companion: asker(request), variables: variablesOf(request) };
      return result(answerChannelQuery(ofChannel, asked));
    }
    const found = QUERIES[id];
    if (!found) throw NOT_PLAYED;
    const [field, answer] = found;
    const { account } = asker(request);
    if (answer !== setTextStatus && request.network.faults.take('ignore-restrictions', account))
      return 'silence';
    return result({ data: { [field]: answer(request.network, account, variablesOf(request)) } });
  },
};

function variablesOf({ body }: IqRequest): Record<string, unknown> {
  const variables = parseObject(textOf(body))?.variables;
  return isObject(variables) ? { ...variables } : {};
}

function result(answer: object): IqAnswer {
  return { content: [stanza('result', {}, Buffer.from(JSON.stringify(answer)))] };
}

/** @throws IqError 400 for a text of another type */
function setTextStatus(network: Network, account: Account, variables: unknown): object {
  const input = isObject(variables) ? variables.input : undefined;
  const text = isObject(input) ? (input.text ?? '') : undefined;
  if (typeof text !== 'string') throw new IqError(400, 'bad-request');
  account.record.textStatus = { text, at: network.now() };
  account.keep();
  return { result: 'SUCCESS' };
}
