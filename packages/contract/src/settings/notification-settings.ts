import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { channelName, SPEECH_PROVIDERS } from '../notification.ts'

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time such as 22:30')

const push = z.strictObject({
  enabled: z.boolean().default(false).meta({ description: 'Send push notifications.' }),
  topic: z
    .string()
    .regex(/^[-_A-Za-z0-9]{8,64}$/, 'expected 8 to 64 letters, digits, - or _')
    .optional()
    .meta({
      description:
        'Anyone who knows it can read your notifications: `steward notify --setup push` creates one.',
    }),
  server: z
    .string()
    .default('ntfy.sh')
    .meta({ description: 'A host of an ntfy server, or an address with https://.' }),
})

const chat = z.strictObject({
  enabled: z.boolean().default(false).meta({ description: 'Send chat messages.' }),
  webhook: z
    .string()
    .optional()
    .meta({ description: 'A Discord or Slack webhook; ${NAME} comes from .env. A secret.' }),
})

const routes = z.array(channelName)

export const notificationsSettings = z.looseObject({
  push: push.optional().meta({ description: 'Push to a phone, by the ntfy protocol.' }),
  ntfy: push.optional().meta({ description: 'Deprecated alias of push.' }),
  chat: chat.optional().meta({ description: 'A chat webhook.' }),
  discord: chat.optional().meta({ description: 'Deprecated alias of chat.' }),
  desktop: z
    .strictObject({
      enabled: z.boolean().default(true).meta({ description: 'Show desktop alerts.' }),
    })
    .prefault({})
    .meta({ description: 'notify-send, osascript, or the terminal.' }),
  email: z
    .strictObject({
      enabled: z.boolean().default(false).meta({ description: 'Send email.' }),
      to: z.email().optional().meta({ description: 'The recipient.' }),
      from: z.email().optional().meta({ description: 'The sender; defaults to the recipient.' }),
      smtp: z
        .string()
        .default('${SMTP_URL}')
        .meta({ description: 'smtp:// or smtps:// with user and password; ${NAME} from .env.' }),
    })
    .prefault({})
    .meta({ description: 'The email channel.' }),
  webpush: z
    .strictObject({
      contact: z
        .url({ protocol: /^(https|mailto)$/ })
        .optional()
        .meta({
          description:
            'mailto: or https:, for push services that report a problem. Defaults to the email recipient, then to your relay.',
        }),
    })
    .prefault({})
    .meta({ description: 'Web push to browsers.' }),
  thresholds: z
    .strictObject({
      longTaskMinutes: z
        .number()
        .positive()
        .default(LIMITS.longTaskMinutes)
        .meta({ description: 'A task that takes longer is a longTask.' }),
      waitingSeconds: z
        .number()
        .nonnegative()
        .default(60)
        .meta({ description: 'Seconds until you are notified of an open request.' }),
      waitingReminderMinutes: z
        .number()
        .nonnegative()
        .default(10)
        .meta({ description: 'One reminder of an open request after this time. 0: none.' }),
    })
    .prefault({})
    .meta({ description: 'Thresholds for notifications.' }),
  routing: z
    .strictObject({
      taskComplete: routes.default([]).meta({ description: 'A normal completion.' }),
      longTask: routes.default(['push']).meta({ description: 'A completion after a long time.' }),
      backgroundAgent: routes.default(['push']).meta({ description: 'An agent has finished.' }),
      error: routes.default(['push']).meta({ description: 'An error in a response.' }),
      security: routes.default(['push', 'chat']).meta({ description: 'A security alert.' }),
      waiting: routes
        .default(['push', 'webpush'])
        .meta({ description: 'Something waits for you.' }),
    })
    .prefault({})
    .meta({ description: 'Channels by kind of event; voice is implied.' }),
  quietHours: z
    .strictObject({
      from: clockTime.meta({ description: 'Start of the quiet hours, such as 22:30.' }),
      to: clockTime.meta({ description: 'End of the quiet hours.' }),
      timezone: z.string().optional().meta({ description: "Defaults to the machine's time zone." }),
      channels: routes
        .default([])
        .meta({ description: 'Channels held until they end, except for errors and security.' }),
    })
    .optional()
    .meta({ description: 'During these hours only security alerts are spoken.' }),
})

export const voiceSettings = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'false: nothing is spoken.' }),
  provider: z
    .enum(['auto', ...SPEECH_PROVIDERS, 'none'])
    .default('auto')
    .meta({
      description: '"auto" uses the best working provider; GET /voice shows which and why.',
    }),
  volume: z.number().min(0).max(1).default(1).meta({ description: '0 to 1.' }),
  openai: z
    .strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .optional()
        .meta({ description: 'An OpenAI-compatible speech API; the key is SPEECH_API_KEY.' }),
      model: z.string().default('gpt-4o-mini-tts').meta({ description: 'The speech model.' }),
      voice: z.string().default('alloy').meta({ description: 'Its voice.' }),
    })
    .prefault({})
    .meta({ description: 'OpenAI-compatible speech.' }),
  elevenlabs: z
    .strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .default('https://api.elevenlabs.io')
        .meta({ description: 'The address of the API; the key is ELEVENLABS_API_KEY.' }),
      model: z.string().default('eleven_turbo_v2_5').meta({ description: 'The speech model.' }),
    })
    .prefault({})
    .meta({ description: 'ElevenLabs.' }),
})

const voiceId = z.string().optional().meta({ description: "The speech provider's voice." })

const voiceOf = z.looseObject({ voiceId, voice_id: voiceId, VOICE_ID: voiceId })

/** The assistant's identity; other tools store more fields in it. */
export const daidentitySettings = z.looseObject({
  name: z.string().optional().meta({ description: 'The name of the assistant.' }),
  voices: z
    .record(z.string(), voiceOf)
    .optional()
    .meta({ description: '"main" is its own voice; others by the name of an agent.' }),
})
