import { z } from 'zod'

export const guardsSettings = z.strictObject({
  blockedSkills: z
    .array(z.string().min(1))
    .default(['keybindings-help'])
    .meta({ description: 'Skills that assistants may not use.' }),
})

/** The longest wait; hooks are registered with a longer timeout. */
const MOST_SECONDS = 3500

/** The hook at the end of a turn is registered with 120 seconds. */
const MOST_REPLY_SECONDS = 110

const waitSeconds = z.number().min(0).max(MOST_SECONDS)

export const answersSettings = z.strictObject({
  waitSeconds: waitSeconds.default(900).meta({
    description:
      'How long a request of Claude Code or OpenCode can be answered here, beside its own prompt. 0: only in the terminal.',
  }),
  hiddenPromptSeconds: waitSeconds.default(0).meta({
    description:
      'The same for requests whose own prompt is hidden meanwhile: permissions in Codex, forms of MCP servers in Claude Code. 0: only in the terminal.',
  }),
  replySeconds: z.number().min(0).max(MOST_REPLY_SECONDS).default(0).meta({
    description:
      'How long a finished turn of Claude Code or Codex waits for a text reply. 0: not at all.',
  }),
})

export const algorithmSettings = z.strictObject({
  enabled: z.boolean().default(true).meta({
    description:
      'Ask assistants to keep a specification, to announce phases and to end with a spoken line.',
  }),
  projects: z
    .record(z.string().min(1), z.boolean())
    .default({})
    .meta({ description: 'On or off for a folder and everything below it, by its full path.' }),
})

export const assistantSettings = z.strictObject({
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

export const learningSettings = z.strictObject({
  ladder: z.string().optional().meta({
    description: "The ladder's folder; defaults to MEMORY/LEARNING/LADDER in the data home.",
  }),
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

export const wikiSettings = z.strictObject({
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

export const mcpSettings = z.strictObject({
  allowWrites: z.boolean().default(false).meta({
    description: 'true: assistants may write notes and notify you through `steward mcp`.',
  }),
})
