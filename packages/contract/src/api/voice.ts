import { z } from 'zod'
import { channelName, notifyAnswer, notifyRequest, SPEECH_PROVIDERS } from '../notification.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const SAY = 'Announcements come from hooks and inline calls that have no token; they only speak.'

const speechProvider = z.object({
  name: z.enum(SPEECH_PROVIDERS),
  available: z.boolean(),
  /** Why it was chosen or not. */
  reason: z.string(),
  /** Closed: in use. Open: it failed too often and is paused until `retryAt`. */
  circuit: z.enum(['closed', 'open']),
  retryAt: z.string().nullable(),
  lastError: z.string().nullable(),
})

const deliveryState = z.enum(['waiting', 'delivered', 'failed', 'merged', 'skipped'])

export const voiceStatus = z
  .object({
    status: z.enum(['ok', 'degraded', 'off']),
    initialized: z.boolean(),
    enabled: z.boolean(),
    /** The provider in use. */
    voice_system: z.string(),
    /** Why this provider is used. */
    explanation: z.string(),
    providers: z.array(speechProvider),
    default_voice_id: z.string().nullable(),
    api_key_configured: z.boolean(),
    pronunciation_rules: z.int().nonnegative(),
    configured_voices: z.array(z.string()),
    desktop_notifications: z.boolean(),
    player: z.string().nullable(),
    queue_depth: z.int().nonnegative(),
    speaking: z.boolean(),
    muted_until: z.string().nullable(),
    quiet: z.boolean(),
    last_error: z.string().nullable(),
    quota_exceeded: z.boolean(),
  })
  .meta({ id: 'VoiceStatus' })
export type VoiceStatus = z.infer<typeof voiceStatus>

const notify = {
  method: 'POST',
  access: 'local',
  why: SAY,
  body: notifyRequest,
  answer: notifyAnswer,
  perMinute: 6000,
  errors: ['payload_too_large'],
  statusInErrors: true,
} as const

export const voiceRoutes = {
  notify: defineRoute({
    ...notify,
    path: '/notify',
    summary: 'Announces a message; answers when it is queued, not when it was spoken.',
  }),
  notifyPersonality: defineRoute({
    ...notify,
    path: '/notify/personality',
    summary:
      'Announces a message in the voice of the assistant identity, from the current settings.',
  }),
  postVoice: defineRoute({
    ...notify,
    path: '/voice',
    summary: 'Alias of POST /notify/personality.',
  }),
  getVoice: defineRoute({
    method: 'GET',
    path: '/voice',
    summary: 'The active speech provider, why it was chosen, and its state.',
    access: 'local',
    why: READ,
    answer: voiceStatus,
  }),
  getVoiceHealth: defineRoute({
    method: 'GET',
    path: '/voice/health',
    summary: 'Alias of GET /voice.',
    access: 'local',
    why: READ,
    answer: voiceStatus,
  }),
  muteVoice: defineRoute({
    method: 'POST',
    path: '/api/voice/mute',
    summary: 'Mutes speech for the given minutes; 0 unmutes it.',
    access: 'token',
    why: 'It changes what a person hears.',
    body: z.strictObject({
      minutes: z
        .number()
        .min(0)
        .max(7 * 24 * 60),
    }),
    answer: z.object({ muted_until: z.string().nullable() }),
  }),
  interruptVoice: defineRoute({
    method: 'POST',
    path: '/api/voice/interrupt',
    summary: 'Stops the current announcement; with `all`, also the waiting ones.',
    access: 'token',
    why: 'It changes what a person hears.',
    body: z.strictObject({ all: z.boolean().default(false) }),
    answer: z.object({ interrupted: z.int().nonnegative() }),
  }),
  streamVoice: defineRoute({
    method: 'GET',
    path: '/api/voice/stream',
    summary: 'Captions, and text for a browser to speak (server-sent events).',
    access: 'local',
    why: READ,
    query: z.object({
      /** The page wants to speak; otherwise it only gets captions. */
      speak: z.enum(['true', 'false']).default('false'),
    }),
    answer: 'event-stream',
  }),
  getVoicePage: defineRoute({
    method: 'GET',
    path: '/voice/page',
    summary: 'A page with captions that speaks with the voice of the browser.',
    access: 'local',
    why: READ,
    answer: 'bytes',
  }),
  getVoicePageFile: defineRoute({
    method: 'GET',
    path: '/voice/page/:file',
    summary: 'Assets of that page.',
    access: 'local',
    why: READ,
    params: z.object({ file: z.enum(['app.js', 'style.css']) }),
    answer: 'bytes',
  }),
  reportUtterance: defineRoute({
    method: 'POST',
    path: '/api/voice/utterances/:id',
    summary: 'A browser reports the outcome of an utterance.',
    access: 'local',
    why: "Only the daemon's own pages can send it, and only for utterances they were given.",
    params: z.object({ id: z.string().min(1) }),
    body: z.strictObject({ outcome: z.enum(['spoken', 'failed']), reason: z.string().optional() }),
    answer: z.object({ ok: z.literal(true) }),
    errors: ['not_found'],
  }),
  testChannel: defineRoute({
    method: 'POST',
    path: '/api/notifications/test',
    summary: 'Sends a test message to one channel, or speaks one, and returns the outcome.',
    access: 'token',
    why: 'It sends a message.',
    body: z.strictObject({ channel: z.union([channelName, z.literal('voice')]) }),
    answer: z.object({ delivered: z.boolean(), detail: z.string() }),
    perMinute: 10,
  }),
  listDeliveries: defineRoute({
    method: 'GET',
    path: '/api/notifications',
    summary: 'Deliveries per channel with their outcomes, newest first.',
    access: 'local',
    why: READ,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** The `next` value of the previous page. */
      before: z.string().max(200).optional(),
      state: deliveryState.optional(),
    }),
    answer: z.object({
      /** The `before` value of the next page; null on the last. */
      next: z.string().nullable(),
      deliveries: z.array(
        z.object({
          id: z.string(),
          /** Shared by all channels of one notice. */
          notice: z.string(),
          at: z.string(),
          channel: z.string(),
          kind: z.string().nullable(),
          /** From 1 (lowest) to 5 (most urgent). */
          priority: z.int().min(1).max(5),
          session_id: z.string().nullable(),
          title: z.string(),
          message: z.string(),
          state: deliveryState,
          attempts: z.int().nonnegative(),
          detail: z.string().nullable(),
        }),
      ),
    }),
  }),
  retryDelivery: defineRoute({
    method: 'POST',
    path: '/api/notifications/:id/retry',
    summary: 'Sends a failed notification again, once.',
    access: 'token',
    why: 'It sends a message.',
    params: z.object({ id: z.string().min(1) }),
    body: z.strictObject({}),
    answer: z.object({
      id: z.string(),
      /** When the pause and limits of its channel allow it. */
      sends_at: z.string(),
    }),
    status: 202,
    errors: ['not_found', 'invalid_input'],
    perMinute: 60,
  }),
}
