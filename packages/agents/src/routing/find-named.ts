import type { BuiltInType } from '@steward/contract'
import type { Candidate } from './candidate.ts'
import type { RosterEntry } from './context.ts'
import { findName } from './find-names.ts'
import type { Reading } from './read-request.ts'
import type { Routing } from './routing.ts'

const DEPRECATED_LEVEL = 25
const NAME_LEVEL = 30

/** Types and agents that the request addresses by name. */
export const findNamed = (
  reading: Reading,
  routing: Routing,
  roster: readonly RosterEntry[],
): Candidate[] => [
  ...roster.flatMap((entry) => callPersona(entry, reading, routing)),
  ...routing.types.flatMap((type) => callType(type, reading)),
]

const callPersona = (entry: RosterEntry, reading: Reading, routing: Routing): Candidate[] => {
  const [given = entry.name, ...more] = entry.name.split(/\s+/)
  const names = [entry.name, ...(more.length > 0 ? [given] : []), ...(entry.aliases ?? [])]
  const at = findName({ names }, reading)
  if (at === undefined) return []
  const type = entry.type ?? typeOfRole(entry.role ?? '', routing)
  const skill = isResearcher(type, routing) ? 'Research' : null
  return [
    {
      level: NAME_LEVEL,
      at,
      choice: {
        rule: 'named-agent',
        system: 'named',
        type,
        tier: entry.tier,
        skill,
        workflow: null,
        agent: entry.name,
        matched: [given],
        why: `${entry.name} is one of your named agents and was called by name`,
      },
      notes: [],
      deprecated: null,
    },
  ]
}

const callType = (type: BuiltInType, reading: Reading): Candidate[] => {
  const { name, called, notCalled, everyday, deprecated, replacedBy, purpose } = type
  const at =
    findName({ names: [name], notCalled, everyday }, reading) ??
    findName({ names: called, notCalled, everyday: false }, reading)
  if (at === undefined) return []
  const isReplaced = deprecated && replacedBy !== undefined
  return [
    {
      level: isReplaced ? DEPRECATED_LEVEL : NAME_LEVEL,
      at,
      choice: {
        rule: isReplaced ? 'deprecated-type' : 'type-by-name',
        system: 'built-in',
        type: isReplaced ? 'general-purpose' : name,
        tier: isReplaced ? 'standard' : undefined,
        skill: isReplaced ? replacedBy : RESEARCHER.test(type.role ?? '') ? 'Research' : null,
        workflow: null,
        agent: null,
        matched: [name],
        why: isReplaced
          ? `${name} is deprecated; the real-browser skill (${replacedBy}) replaces it`
          : `${name} (${purpose}) was called by name`,
      },
      notes: isReplaced
        ? [
            `${name} is deprecated: use a skill for real browsers (${replacedBy}), if your assistant has one`,
          ]
        : [],
      deprecated: isReplaced ? { type: name, replacedBy } : null,
    },
  ]
}

const RESEARCHER = /^researcher-/

const isResearcher = (name: string, { types }: Routing): boolean =>
  types.some((type) => type.name === name && RESEARCHER.test(type.role ?? ''))

/** Roles as people write them, and the type for such work. */
const ROLES: readonly (readonly [RegExp, { name?: string; role?: string }])[] = [
  [
    /\b(second|secondary|deputy)\b.*research|\bresearch.*\b(second|secondary)\b/i,
    { role: 'researcher-b' },
  ],
  [/\b(third|tertiary)\b.*research/i, { role: 'researcher-c' }],
  [/research|analyst|investigat|journalis/i, { role: 'researcher-a' }],
  [/architect/i, { name: 'Architect' }],
  [/security|pentest|hacker|red team/i, { role: 'security-tester' }],
  [/design|\bux\b|\bui\b|artist/i, { name: 'Designer' }],
  [/audit/i, { name: 'Cato' }],
  [/engineer|developer|programmer|coder/i, { name: 'Engineer' }],
]

const typeOfRole = (role: string, { types }: Routing): string => {
  const wanted = ROLES.find(([pattern]) => pattern.test(role))?.[1]
  const type = types.find(
    (each) =>
      (wanted?.role !== undefined && each.role === wanted.role) ||
      (wanted?.name !== undefined && each.name === wanted.name),
  )
  return type?.name ?? 'general-purpose'
}
