import { z } from 'zod'
import {
  answerDevice,
  attentionAnswer,
  attentionEntry,
  attentionOutcome,
  attentionRequest,
} from '../attention.ts'
import { pushSubscription } from '../relay.ts'
import { defineRoute } from './route.ts'

const DECIDES = 'It lets an assistant act, or decides who may.'

export const attentionRoutes = {
  listWaiting: defineRoute({
    method: 'GET',
    path: '/api/attention',
    summary: 'Everything that waits for you: since when, why, and how to answer. Questions first.',
    access: 'local',
    why: 'Reading is open on loopback: other origins and host names are already refused.',
    answer: z.object({ waiting: z.array(attentionEntry) }),
  }),
  answerWaiting: defineRoute({
    method: 'POST',
    path: '/api/attention/:id/answer',
    summary: 'Answers a request. The first answer wins, here or in the terminal.',
    access: 'token',
    why: DECIDES,
    params: z.object({ id: z.string().min(1).max(500) }),
    body: attentionAnswer,
    /** The assistant has the answer. */
    answer: z.object({ ok: z.literal(true), id: z.string() }),
    errors: ['attention_not_found', 'attention_closed', 'attention_elsewhere', 'invalid_input'],
  }),
  askAttention: defineRoute({
    method: 'POST',
    path: '/hooks/attention',
    summary: 'Waits for the answer to a request of an assistant. Used by the hook program.',
    access: 'token',
    why: 'It shows a request to the person and returns the answer.',
    body: attentionRequest,
    answer: attentionOutcome,
    errors: ['attention_full'],
  }),
  listAnswerDevices: defineRoute({
    method: 'GET',
    path: '/api/attention/devices',
    summary: 'Devices that are notified and may answer, revoked ones included.',
    access: 'token',
    why: DECIDES,
    answer: z.object({ devices: z.array(answerDevice) }),
  }),
  addAnswerDevice: defineRoute({
    method: 'POST',
    path: '/api/attention/devices',
    summary: 'Lets a device answer by push; returns the topic that it has to subscribe to.',
    access: 'token',
    why: DECIDES,
    body: z.strictObject({ name: z.string().trim().min(1).max(60) }),
    answer: z.object({
      device: answerDevice,
      /** A secret, because every subscriber can answer. */
      topic: z.string(),
      address: z.string(),
    }),
    errors: ['invalid_input', 'not_configured'],
  }),
  pairAnswerDevice: defineRoute({
    method: 'POST',
    path: '/api/attention/devices/pair',
    summary: 'Pairs a device with the relay; returns the address for its QR code.',
    access: 'token',
    why: DECIDES,
    body: z.strictObject({
      name: z.string().trim().min(1).max(60),
      /** Whether it may answer; otherwise it only shows what waits. */
      answers: z.boolean().optional(),
    }),
    answer: z.object({
      device: answerDevice,
      /** A secret, because the first browser that opens it becomes the device. */
      link: z.string(),
    }),
    errors: ['invalid_input', 'not_configured', 'upstream_failed'],
  }),
  allowAnswerDevice: defineRoute({
    method: 'POST',
    path: '/api/attention/devices/:id/allow',
    summary: 'Lets a device answer, or only show requests.',
    access: 'token',
    why: DECIDES,
    params: z.object({ id: z.string().min(1).max(60) }),
    body: z.strictObject({ answers: z.boolean() }),
    answer: z.object({ device: answerDevice }),
    errors: ['not_found'],
  }),
  subscribeAnswerDevice: defineRoute({
    method: 'POST',
    path: '/api/attention/devices/subscribe',
    summary: 'Sends notifications to a browser by web push. Used by the dashboard.',
    access: 'token',
    why: 'Notifications contain what assistants ask.',
    body: z.strictObject({
      name: z.string().trim().min(1).max(60),
      subscription: pushSubscription,
    }),
    answer: z.object({ device: answerDevice }),
    errors: ['invalid_input'],
  }),
  getPushKey: defineRoute({
    method: 'GET',
    path: '/api/attention/push-key',
    summary: 'The public key that a browser needs to subscribe to web push.',
    access: 'local',
    why: 'A public key.',
    answer: z.object({ key: z.string() }),
  }),
  revokeAnswerDevice: defineRoute({
    method: 'POST',
    path: '/api/attention/devices/:id/revoke',
    summary: 'Revokes a device by id or name; its answers are refused at once.',
    access: 'token',
    why: DECIDES,
    params: z.object({ id: z.string().min(1).max(60) }),
    body: z.strictObject({}),
    answer: z.object({ device: answerDevice }),
    errors: ['not_found'],
  }),
}
