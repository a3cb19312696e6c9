import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { GroupAction, GroupUpdate } from '../api.js';
import type { Parts } from '../clients/parts.js';
import {
  groupField,
  MAX_PICTURE_BODY_BYTES,
  type NumberParams,
  numberField,
  numberParams,
  pictureField,
} from '../fields.js';
import { viewGroup } from '../groups/elements.js';
import {
  changeMembers,
  createGroup,
  leaveGroup,
  type Named,
  type Outcome,
  requireEditor,
} from '../groups/membership.js';
import { answerRequests, joinByInvite, type RequestAction } from '../groups/requests.js';
import {
  changeDescription,
  changeSettings,
  changeSubject,
  inviteCode,
  renewInvite,
} from '../groups/settings.js';
import { changePicture } from '../people/pictures.js';
import type { Account } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';

const MAX_PEOPLE = 1_024;
const MAX_SUBJECT = 100;
const MAX_DESCRIPTION = 2_048;
const MAX_CODE = 100;
const MAX_EPHEMERAL_S = 365 * 24 * 60 * 60;
const OK = 200;

interface GroupParams extends NumberParams {
  jid: string;
}

const groupParams = numberParams.keys({ jid: groupField.required() });
const peopleField = Joi.array().items(numberField).max(MAX_PEOPLE);
const subjectField = Joi.string().max(MAX_SUBJECT);

const updatePayload = Joi.object({
  subject: subjectField,
  description: Joi.string().allow('').max(MAX_DESCRIPTION),
  picture: pictureField,
  announce: Joi.boolean(),
  locked: Joi.boolean(),
  membersAdd: Joi.boolean(),
  joinApproval: Joi.boolean(),
  ephemeral: Joi.number().integer().min(0).max(MAX_EPHEMERAL_S),
})
  .min(1)
  .required();

/** Groups, as people change them on their phones. */
export function groupRoutes(server: Server, { network }: Parts): void {
  membershipRoutes(server, network);
  inviteRoutes(server, network);
  requestRoutes(server, network);
  server.route<{ Params: { jid: string } }>({
    method: 'GET',
    path: '/groups/{jid}',
    options: { validate: { params: Joi.object({ jid: groupField.required() }) } },
    handler: ({ params }) => viewGroup(network, network.directory.groups.require(params.jid)),
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/groups',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => ({
      groups: network.directory.groups
        .of(network.directory.require(params.number))
        .map((group) => viewGroup(network, group)),
    }),
  });
  server.route<{ Params: GroupParams; Payload: GroupUpdate }>({
    method: 'PATCH',
    path: '/phones/{number}/groups/{jid}',
    options: {
      payload: { maxBytes: MAX_PICTURE_BODY_BYTES },
      validate: { params: groupParams, payload: updatePayload },
    },
    handler: async ({ params, payload }) => {
      const { group, account } = find(network, params);
      const { subject, description, picture, ...settings } = payload;
      // settings first: an actor who may change them may change the rest
      changeSettings(network, group, account, settings);
      if (subject !== undefined) changeSubject(network, group, account, subject);
      if (description !== undefined) changeDescription(network, group, account, description);
      if (picture !== undefined) {
        requireEditor(group, account);
        await changePicture(
          network,
          group,
          account,
          picture === null ? null : Buffer.from(picture, 'base64'),
        );
      }
      return viewGroup(network, group);
    },
  });
}

function membershipRoutes(server: Server, network: Network): void {
  server.route<{ Params: NumberParams; Payload: { subject: string; participants: string[] } }>({
    method: 'POST',
    path: '/phones/{number}/groups',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({
          subject: subjectField.required(),
          participants: peopleField.default([]),
        }).required(),
      },
    },
    handler: ({ params, payload }, h) => {
      const creator = network.directory.require(params.number);
      const people = payload.participants.map((number) => named(network, number));
      const { group, outcomes } = createGroup(network, creator, { subject: payload.subject }, people);
      return h.response({ ...viewGroup(network, group), results: outcomes.map(viewOutcome) }).code(201);
    },
  });
  server.route<{ Params: GroupParams; Payload: { action: GroupAction; participants: string[] } }>({
    method: 'POST',
    path: '/phones/{number}/groups/{jid}/participants',
    options: {
      validate: {
        params: groupParams,
        payload: Joi.object({
          action: Joi.string().valid('add', 'remove', 'promote', 'demote').required(),
          participants: peopleField.min(1).required(),
        }).required(),
      },
    },
    handler: ({ params, payload }) => {
      const { group, account } = find(network, params);
      const people = payload.participants.map((number) => named(network, number));
      return { results: changeMembers(network, group, account, payload.action, people).map(viewOutcome) };
    },
  });
  server.route<{ Params: GroupParams }>({
    method: 'POST',
    path: '/phones/{number}/groups/{jid}/leave',
    options: { validate: { params: groupParams } },
    handler: ({ params }, h) => {
      const { group, account } = find(network, params);
      leaveGroup(network, group, account);
      return h.response().code(204);
    },
  });
}

function requestRoutes(server: Server, network: Network): void {
  server.route<{ Params: GroupParams; Payload: { action: RequestAction; participants: string[] } }>({
    method: 'POST',
    path: '/phones/{number}/groups/{jid}/requests',
    options: {
      validate: {
        params: groupParams,
        payload: Joi.object({
          action: Joi.string().valid('approve', 'reject').required(),
          participants: peopleField.min(1).required(),
        }).required(),
      },
    },
    handler: ({ params, payload }) => {
      const { group, account } = find(network, params);
      const people = payload.participants.map((number) => named(network, number));
      return { results: answerRequests(network, group, account, payload.action, people).map(viewOutcome) };
    },
  });
}

function inviteRoutes(server: Server, network: Network): void {
  server.route<{ Params: GroupParams }>({
    method: 'GET',
    path: '/phones/{number}/groups/{jid}/invite',
    options: { validate: { params: groupParams } },
    handler: ({ params }) => {
      const { group, account } = find(network, params);
      return { code: inviteCode(group, account) };
    },
  });
  server.route<{ Params: GroupParams }>({
    method: 'DELETE',
    path: '/phones/{number}/groups/{jid}/invite',
    options: { validate: { params: groupParams } },
    handler: ({ params }) => {
      const { group, account } = find(network, params);
      return { code: renewInvite(network, group, account) };
    },
  });
  server.route<{ Params: NumberParams; Payload: { code: string } }>({
    method: 'POST',
    path: '/phones/{number}/groups/join',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({ code: Joi.string().max(MAX_CODE).required() }).required(),
      },
    },
    handler: ({ params, payload }) => {
      const group = network.directory.groups.requireByInvite(payload.code);
      joinByInvite(network, group, network.directory.require(params.number));
      return viewGroup(network, group);
    },
  });
}

function find(network: Network, { number, jid }: GroupParams): { group: Group; account: Account } {
  return { group: network.directory.groups.require(jid), account: network.directory.require(number) };
}

function named(network: Network, number: string): Named {
  return { jid: number, account: network.directory.byNumber(number) };
}

function viewOutcome({ jid: number, error = OK }: Outcome) {
  return { number, status: error };
}
