import type { PathTier, PatternSection, SecurityOverview } from '@steward/contract'

/** A list of the policy file with its description. */
interface GroupPlace {
  /** As in rule names: `bash.blocked`, `paths.readOnly`. */
  id: string
  title: string
  lead: string
  kind: 'pattern' | 'path'
  tone: 'bad' | 'warn' | 'info' | 'good'
}

export type RulePlace =
  | (GroupPlace & { kind: 'pattern'; section: PatternSection })
  | (GroupPlace & { kind: 'path'; tier: PathTier })

/** The matches of a rule, enforced or in shadow mode. */
interface RuleActivity {
  last7Days: number
  last30Days: number
  shadowed7Days: number
  shadowed30Days: number
  lastAt?: string
}

export interface RuleEntry {
  /** As in judgements and events. */
  rule: string
  /** The pattern, or the glob of the path. */
  text: string
  reason: string
  shadow: boolean
  /** Its index in the file's list. */
  index: number
  activity: RuleActivity
}

export type RuleGroup = RulePlace & { entries: RuleEntry[] }

export const PLACES: readonly RulePlace[] = [
  {
    id: 'bash.blocked',
    kind: 'pattern',
    section: 'blocked',
    title: 'Blocked commands',
    lead: 'Refused; the assistant gets the reason',
    tone: 'bad',
  },
  {
    id: 'bash.confirm',
    kind: 'pattern',
    section: 'confirm',
    title: 'Commands to confirm',
    lead: 'You are asked first',
    tone: 'warn',
  },
  {
    id: 'bash.alert',
    kind: 'pattern',
    section: 'alert',
    title: 'Watched commands',
    lead: 'Allowed and logged',
    tone: 'info',
  },
  {
    id: 'bash.trusted',
    kind: 'pattern',
    section: 'trusted',
    title: 'Trusted commands',
    lead: 'Exempt from the patterns above; path protection still applies',
    tone: 'good',
  },
  {
    id: 'paths.zeroAccess',
    kind: 'path',
    tier: 'zeroAccess',
    title: 'No access',
    lead: 'Must not be read, changed or deleted',
    tone: 'bad',
  },
  {
    id: 'paths.alertAccess',
    kind: 'path',
    tier: 'alertAccess',
    title: 'Watched paths',
    lead: 'Allowed; every use is logged',
    tone: 'info',
  },
  {
    id: 'paths.confirmAccess',
    kind: 'path',
    tier: 'confirmAccess',
    title: 'Confirm any access',
    lead: 'You are asked before it is used in any way',
    tone: 'warn',
  },
  {
    id: 'paths.readOnly',
    kind: 'path',
    tier: 'readOnly',
    title: 'Read only',
    lead: 'Must not be changed or deleted',
    tone: 'bad',
  },
  {
    id: 'paths.confirmWrite',
    kind: 'path',
    tier: 'confirmWrite',
    title: 'Confirm writing',
    lead: 'You are asked before it is changed or deleted',
    tone: 'warn',
  },
  {
    id: 'paths.noDelete',
    kind: 'path',
    tier: 'noDelete',
    title: 'No deletion',
    lead: 'May be changed, must not be deleted',
    tone: 'bad',
  },
]

type Shown = Pick<
  SecurityOverview,
  'blocked' | 'confirm' | 'alerts' | 'trusted' | 'pathTiers' | 'ruleCounts'
>

/**
 * The policy as lists of entries, with their match counts; including empty lists, for adding to
 * them.
 */
export const readGroups = (overview: Shown): RuleGroup[] => {
  const activity = sumActivity(overview.ruleCounts)
  return PLACES.map((place) => ({
    ...place,
    entries: entriesOf(place, overview).map((entry, index) => ({
      ...entry,
      index,
      activity: activity.get(entry.rule) ?? QUIET,
    })),
  }))
}

const QUIET: RuleActivity = { last7Days: 0, last30Days: 0, shadowed7Days: 0, shadowed30Days: 0 }

const SECTION_KEYS = {
  blocked: 'blocked',
  confirm: 'confirm',
  alert: 'alerts',
  trusted: 'trusted',
} as const

const entriesOf = (
  place: RulePlace,
  overview: Shown,
): Pick<RuleEntry, 'rule' | 'text' | 'reason' | 'shadow'>[] => {
  if (place.kind === 'pattern') {
    return overview[SECTION_KEYS[place.section]].map(({ pattern, ...rest }) => ({
      text: pattern,
      ...rest,
    }))
  }
  const rules = overview.pathTiers.find(({ tier }) => tier === place.tier)?.rules ?? []
  return rules.map(({ path, rule, shadow }) => ({ text: path, reason: '', rule, shadow }))
}

const sumActivity = (counts: SecurityOverview['ruleCounts']): Map<string, RuleActivity> => {
  const found = new Map<string, RuleActivity>()
  for (const { rule, shadow, last7Days, last30Days, lastAt } of counts) {
    const before = found.get(rule) ?? QUIET
    const added = shadow
      ? {
          shadowed7Days: before.shadowed7Days + last7Days,
          shadowed30Days: before.shadowed30Days + last30Days,
        }
      : {
          last7Days: before.last7Days + last7Days,
          last30Days: before.last30Days + last30Days,
        }
    const isNewer = before.lastAt === undefined || lastAt > before.lastAt
    found.set(rule, { ...before, ...added, lastAt: isNewer ? lastAt : before.lastAt })
  }
  return found
}

/** Entries that match a search by the rule's own words; the requested rule is always included. */
export const filterGroups = (
  groups: readonly RuleGroup[],
  search: string,
  { onlyShadow = false, onlyActive = false } = {},
): RuleGroup[] => {
  const wanted = search.trim().toLowerCase()
  const fits = ({ text, reason, shadow, activity }: RuleEntry): boolean =>
    (!onlyShadow || shadow) &&
    (!onlyActive || activity.last30Days + activity.shadowed30Days > 0) &&
    `${text}\n${reason}`.toLowerCase().includes(wanted)
  return groups.map((group) => ({ ...group, entries: group.entries.filter(fits) }))
}

/** The location of a rule: the group with an entry of this name. */
export const findRule = (
  groups: readonly RuleGroup[],
  rule: string,
): { group: RuleGroup; entry: RuleEntry } | undefined => {
  for (const group of groups) {
    const entry = group.entries.find((each) => each.rule === rule)
    if (entry !== undefined) return { group, entry }
  }
  return undefined
}
