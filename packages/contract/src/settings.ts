import { z } from 'zod'
import { backupInterval } from './backup.ts'
import { hostedSettings } from './hosted/settings.ts'
import { schemaAddress } from './json.ts'
import { LIMITS } from './limits.ts'
import { channelName, SPEECH_PROVIDERS } from './notification.ts'

const budgets = z.strictObject({
  perRunUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most one run may spend on models.' }),
  perFlowUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most one flow may spend in a day, UTC.' }),
  perDayUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most everything together may spend in a day, UTC.' }),
})

const execution = z.strictObject({
  shell: z
    .strictObject({
      withoutSandbox: z.enum(['refuse', 'run']).default('refuse').meta({
        description: 'Behaviour without a sandbox. "run" is recorded as isolation: none.',
      }),
    })
    .prefault({})
    .meta({ description: 'The shell capability.' }),
  fetch: z
    .strictObject({
      allowPrivateHosts: z
        .array(z.string())
        .default([])
        .meta({ description: 'Hosts (host or host:port) that may be private or loopback.' }),
    })
    .prefault({})
    .meta({ description: 'The fetch capability.' }),
  readFile: z
    .strictObject({
      roots: z
        .array(z.string())
        .default([])
        .meta({ description: 'Additional folders that actions may read.' }),
    })
    .prefault({})
    .meta({ description: 'The readFile capability.' }),
  destinations: z
    .strictObject({
      roots: z.array(z.string()).default([]).meta({
        description: 'More folders than OUTPUT that file and database destinations may write to.',
      }),
    })
    .prefault({})
    .meta({ description: 'Where flows may write on this machine.' }),
  history: z
    .strictObject({
      maxRuns: z
        .int()
        .positive()
        .default(100_000)
        .meta({ description: 'Older runs beyond this count are pruned.' }),
      maxAgeDays: z
        .int()
        .positive()
        .default(90)
        .meta({ description: 'Runs older than this are pruned.' }),
      maxBytes: z
        .int()
        .positive()
        .default(2 * 1024 ** 3)
        .meta({ description: 'The oldest runs are pruned above this size.' }),
    })
    .prefault({})
    .meta({ description: 'Retention of the run history.' }),
  budgets: budgets.prefault({}).meta({ description: 'Spending caps in USD; none unless set.' }),
})

const edge = z.strictObject({
  accountId: z.string().optional().meta({
    description: "The platform account to deploy to; defaults to the login's only account.",
  }),
  subdomain: z
    .string()
    .optional()
    .meta({ description: 'A worker is at https://<worker>.<subdomain>.workers.dev' }),
  workers: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Addresses of single workers, by worker name; overrides subdomain.' }),
  resources: z
    .strictObject({
      kv: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Ids of KV namespaces by binding: SEEN_ITEMS, FLOW_STATE.' }),
      d1: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Ids of D1 databases by binding: ITEMS_DB, FLOW_DB, FEEDS_DB.' }),
    })
    .prefault({})
    .meta({ description: 'Ids of your account; built into worker configurations.' }),
})

const target = z
  .strictObject({
    name: z.string().min(1).meta({ description: 'A label for people.' }),
    type: z.enum(['http', 'edge-kv']).meta({
      description: '"http" posts to {url}/api/observability/events; "edge-kv" puts a key.',
    }),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ description: 'Base address.' }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'For http; ${NAME} comes from the environment, then from .env.' }),
  })
  .refine(({ type, url }) => type !== 'http' || url !== undefined, {
    path: ['url'],
    message: 'an http target needs a url',
  })
export type ObservabilityTarget = z.infer<typeof target>

const PORT = 31337

/** Loose at the top level because other tools share this section. */
const observability = z.looseObject({
  server: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(PORT)
        .meta({ description: 'The port; STEWARD_PORT overrides it.' }),
      enabled: z
        .boolean()
        .default(true)
        .meta({ description: 'false: the daemon exits without serving.' }),
      host: z.string().default('127.0.0.1').meta({
        description: 'The address to listen on; any but loopback needs auth.mode "strict".',
      }),
    })
    .prefault({})
    .meta({ description: 'Where the daemon listens.' }),
  targets: z
    .array(target)
    .default([])
    .meta({ description: 'Targets that events and work state are pushed to.' }),
  logs: z
    .strictObject({
      maxBytes: z
        .int()
        .min(1024)
        .default(LIMITS.logBytes)
        .meta({ description: 'Event logs above this size are rotated.' }),
      files: z.int().min(1).default(LIMITS.logFiles).meta({ description: 'Rotated logs kept.' }),
      maxAgeDays: z
        .int()
        .positive()
        .default(90)
        .meta({ description: 'Rotated logs older than this are removed.' }),
    })
    .prefault({})
    .meta({ description: 'Retention of the event logs.' }),
})

const auth = z.strictObject({
  mode: z.enum(['default', 'strict', 'any-account']).default('default').meta({
    description:
      '"default": programs of your own account need no token to read, other accounts of this machine get nothing but /health. "strict": everything but /health needs the token. "any-account": programs of every account count as your own.',
  }),
})

const sessions = z.strictObject({
  staleNativeMinutes: z
    .number()
    .positive()
    .default(LIMITS.staleNativeMs / 60_000)
    .meta({ description: 'Of a session in native mode.' }),
  staleStartingMinutes: z
    .number()
    .positive()
    .default(LIMITS.staleStartingMs / 60_000)
    .meta({ description: 'Of a session in starting mode.' }),
})

const watchdog = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'false: the watchdog is off.' }),
  silenceSeconds: z
    .number()
    .positive()
    .default(LIMITS.watchdogSilenceMs / 1000)
    .meta({ description: 'How long active background agents may be silent.' }),
})

const storage = z.strictObject({
  warnBelowMb: z
    .number()
    .nonnegative()
    .default(500)
    .meta({ description: 'Warn when the disk of the data home has less free space. 0: never.' }),
})

const learning = z.strictObject({
  ladder: z.string().optional().meta({
    description: "The ladder's folder; defaults to MEMORY/LEARNING/LADDER in the data home.",
  }),
})

const backup = z.strictObject({
  folder: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Where the daemon puts backups; it makes none unless this is set.' }),
  every: backupInterval.default('day').meta({ description: 'How often a backup is made.' }),
  keep: z.int().min(1).default(7).meta({ description: 'Older backups are removed.' }),
  secrets: z
    .boolean()
    .default(true)
    .meta({ description: 'Include .env, the token, keys of hosted agents and sign-ins.' }),
})

const mcp = z.strictObject({
  allowWrites: z.boolean().default(false).meta({
    description: 'true: assistants may write notes and notify you through `steward mcp`.',
  }),
})

const assistant = z.strictObject({
  timezone: z
    .string()
    .optional()
    .meta({ description: "Time zone of tasks and the diary; defaults to the machine's." }),
  allowScripts: z
    .boolean()
    .default(false)
    .meta({ description: 'true: tasks may run programs, in the sandbox.' }),
  diary: z
    .strictObject({
      enabled: z.boolean().default(true).meta({ description: 'false: no diary is written.' }),
      summary: z.boolean().default(false).meta({
        description: 'true: a model adds a summary of the day, which costs money.',
      }),
    })
    .prefault({})
    .meta({ description: 'One page per day, from recorded events.' }),
})

/** Groups that Steward fills itself. */
const WIKI_GROUPS: readonly string[] = [
  'docs',
  'skills',
  'agents',
  'commands',
  'hooks',
  'actions',
  'pipelines',
  'flows',
  'knowledge',
]

const guards = z.strictObject({
  blockedSkills: z
    .array(z.string().min(1))
    .default(['keybindings-help'])
    .meta({ description: 'Skills that assistants may not use.' }),
})

const wiki = z.strictObject({
  directories: z
    .record(
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower case letters, digits and hyphens')
        .refine((name) => !WIKI_GROUPS.includes(name), 'is the name of a group of the wiki'),
      z.string().min(1),
    )
    .default({})
    .meta({ description: 'Your own folders of Markdown, by name; ~ is your home.' }),
})

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

const notifications = z.looseObject({
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
  thresholds: z
    .strictObject({
      longTaskMinutes: z
        .number()
        .positive()
        .default(LIMITS.longTaskMinutes)
        .meta({ description: 'A task that takes longer is a longTask.' }),
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

const voice = z.strictObject({
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
const daidentity = z.looseObject({
  name: z.string().optional().meta({ description: 'The name of the assistant.' }),
  voices: z
    .record(z.string(), voiceOf)
    .optional()
    .meta({ description: '"main" is its own voice; others by the name of an agent.' }),
})

/**
 * `settings.json` in the data home. Unknown top-level keys belong to other tools and are kept; an
 * unknown key inside our sections is an error, because a typo in a budget costs money.
 */
export const settings = z
  .looseObject({
    $schema: schemaAddress,
    execution: execution
      .prefault({})
      .meta({ description: 'Running actions, pipelines and flows.' }),
    edge: edge.prefault({}).meta({ description: 'Where deployed workers are.' }),
    observability: observability
      .prefault({})
      .meta({ description: 'The daemon: its server, its event logs, where events are pushed.' }),
    auth: auth.prefault({}).meta({ description: 'Who may call the daemon.' }),
    sessions: sessions
      .prefault({})
      .meta({ description: 'When a session without activity counts as stale.' }),
    watchdog: watchdog.prefault({}).meta({ description: 'Alerts about silent background agents.' }),
    notifications: notifications
      .prefault({})
      .meta({ description: 'Channels, routing and quiet hours.' }),
    voice: voice.prefault({}).meta({ description: 'Speech.' }),
    daidentity: daidentity
      .prefault({})
      .meta({ description: 'The assistant: its name and its voices, by agent.' }),
    guards: guards.prefault({}).meta({ description: 'What assistants may not use.' }),
    assistant: assistant.prefault({}).meta({ description: 'Its tasks and its diary.' }),
    learning: learning.prefault({}).meta({ description: 'Learning signals and the ladder.' }),
    storage: storage.prefault({}).meta({ description: 'The disk that holds the data home.' }),
    wiki: wiki.prefault({}).meta({ description: 'Document sources of the wiki.' }),
    hosted: hostedSettings.prefault({}).meta({ description: 'The hosted agent API.' }),
    backup: backup.prefault({}).meta({ description: 'Backups that the daemon makes by itself.' }),
    mcp: mcp.prefault({}).meta({ description: 'What `steward mcp` offers to assistants.' }),
  })
  .meta({ title: 'Steward settings' })
export type Settings = z.infer<typeof settings>
