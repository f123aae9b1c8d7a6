import { dirname } from 'node:path'
import { DEFAULT_TRAITS, type Personality, type Settings } from '@steward/contract'
import type { Identity } from '../identity/read-identity.ts'

/** What a session is told when it begins. */
export interface ContextParts {
  sessionId: string
  /** The folder of specifications. */
  work: string
  /** The command line that starts Steward. */
  command: string
  /** `YYYYMMDD-HHMMSS` in local time. */
  stamp: string
  /** The assistant has the Algorithm skill, which says the rest. */
  hasSkill: boolean
  identity: Pick<Identity, 'name' | 'principal'> | undefined
  personality: Pick<Personality, 'traits' | 'writing'> | undefined
}

/**
 * The session context: short, because every session pays for it, and calm, because assistants obey
 * it. It asks for the spoken line, and for a specification where the work deserves one.
 */
export const composeContext = (parts: ContextParts): string =>
  [
    '# Steward',
    'Steward shows the person what this session does and speaks for it when they are away.',
    ...describeCharacter(parts),
    '',
    'End your last message with one line that is spoken aloud: `🗣️ ` and at most 16 words, the result or what you need.',
    'Questions, conversation and changes of a minute or two need nothing more.',
    '',
    ...(parts.hasSkill ? describeSkill(parts) : describeWork(parts)),
  ].join('\n')

const describeSkill = ({ work, stamp, sessionId }: ContextParts): string[] => [
  'For work that takes longer (to implement, build, design, migrate, refactor something), follow the Algorithm skill.',
  `Specification: \`${work}/${stamp}_three-or-four-words/SPEC.md\`. Session: \`${sessionId}\`.`,
]

const describeWork = ({ work, stamp, command, sessionId }: ContextParts): string[] => [
  'For work that takes longer (to implement, build, design, migrate, refactor something):',
  `1. First write \`${work}/${stamp}_three-or-four-words/SPEC.md\`, in this form:`,
  ...SPECIFICATION.map((line) => `   ${line}`),
  '2. Keep it true: set `phase` when the next phase begins (observe, think, plan, build, execute, verify, learn, complete), tick a criterion once it is verified, and set `progress`.',
  `3. Say what begins, with a command of its own: \`${command} announce "Building the parser" --phase BUILD --effort extended --slug SLUG --session ${sessionId}\`. It does not wait. With effort standard (under 2 minutes) only OBSERVE and VERIFY, otherwise every phase.`,
  'If one of these is refused, go on without it.',
]

const SPECIFICATION = [
  '---',
  'task: What is done, in a few words',
  'effort: extended',
  'phase: observe',
  'progress: 0/2',
  '---',
  '## Intent',
  'Why, in a sentence.',
  '## Criteria',
  '- [ ] ISC-1: One fact that can be checked and is true when the work is done',
  '- [ ] ISC-A-1: One thing that must not happen',
]

const MARKED = 25

/** Only what a person has changed: the defaults are how assistants are anyway. */
const describeCharacter = ({ identity, personality }: ContextParts): string[] => {
  const names = [
    ...(identity === undefined || identity.name === 'Steward'
      ? []
      : [`Your name is ${identity.name}.`]),
    ...(identity?.principal ? [`You work for ${identity.principal}.`] : []),
  ]
  const manner = [
    describeTraits(personality?.traits ?? {}),
    personality?.writing.style ?? '',
    listed('Prefer', personality?.writing.prefer),
    listed('Avoid', personality?.writing.avoid),
  ].filter((text) => text !== '')
  const lines = [...names, ...manner].join(' ').slice(0, LONGEST_CHARS)
  return lines === '' ? [] : [lines]
}

const LONGEST_CHARS = 600

const describeTraits = (traits: Readonly<Record<string, number>>): string => {
  const defaults: Readonly<Record<string, number>> = DEFAULT_TRAITS
  const changed = Object.entries(traits).filter(
    ([name, value]) => Math.abs(value - (defaults[name] ?? 50)) >= MARKED,
  )
  const words = changed.map(([name, value]) =>
    value > (defaults[name] ?? 50) ? `more ${name}` : `less ${name}`,
  )
  return words.length === 0 ? '' : `The person wants ${words.join(', ')} than usual.`
}

const listed = (verb: string, items: readonly string[] = []): string =>
  items.length === 0 ? '' : `${verb}: ${items.slice(0, 5).join('; ')}.`

/** Whether a folder's sessions get the context: the nearest entry above it decides. */
export const isAlgorithmOn = (
  { enabled, projects }: Settings['algorithm'],
  cwd: string | undefined,
): boolean => {
  for (let folder = cwd; folder !== undefined; ) {
    const own = Object.hasOwn(projects, folder) ? projects[folder] : undefined
    if (own !== undefined) return own
    const above = dirname(folder)
    folder = above === folder ? undefined : above
  }
  return enabled
}
