import { readFileSync } from 'node:fs'
import {
  ASSISTANTS,
  type Firing,
  firingsPath,
  GUARD_PATHS,
  HOOK_FILE,
  type HookEntry,
  hostFile,
} from '@steward/assistants'
import { HOSTS, type HookDetail, type HostName, parseJson, reasonOf } from '@steward/contract'
import { type Home, isMissing, isNewer, readTail } from '@steward/platform'
import { z } from 'zod'

export interface HooksPlace {
  home: Pick<Home, 'databases'>
  homedir: string
  env: Readonly<Record<string, string | undefined>>
}

const ROWS_READ = 2000
const SHOWN_ERRORS = 5

/** All of our hooks in all assistants, from actual registrations and firings. */
export const describeHooks = async (place: HooksPlace): Promise<Record<string, HookDetail>> => {
  const firings = await readFirings(place.home)
  const details = HOSTS.flatMap((host) => {
    const file = hostFile(host, place)
    const { text, problem } = readIfThere(file)
    const found = ASSISTANTS[host].format.find(text)
    return ASSISTANTS[host].hooks.map((entry): [string, HookDetail] => {
      const fired = firings.filter((each) => isOf(each, host, entry))
      const last = fired.at(-1)
      const failed = fired.filter(({ errors }) => errors !== undefined && errors.length > 0)
      return [
        keyOf(host, entry),
        {
          host,
          event: entry.event,
          matcher: entry.matcher ?? '',
          command: commandOf(entry),
          ...describeEntry(entry),
          registered: found?.has(entry) === true,
          registeredIn: file.startsWith(`${place.homedir}/`)
            ? `~${file.slice(place.homedir.length)}`
            : file,
          problem: problem ?? null,
          lastFiredAt: last?.timestamp ?? null,
          lastDurationMs: last?.duration_ms ?? null,
          medianDurationMs: medianOf(fired.map(({ duration_ms }) => duration_ms)),
          firings: fired.length,
          failures: failed.length,
          lastErrors: failed.flatMap(({ errors = [] }) => errors).slice(-SHOWN_ERRORS),
        },
      ]
    })
  })
  return Object.fromEntries(details)
}

/** Adds one entry per command; a registered hook that can block stands for its command. */
export const addCommands = (
  details: Readonly<Record<string, HookDetail>>,
): Record<string, HookDetail> => {
  const rank = ({ registered, canBlock }: HookDetail) => Number(registered) * 2 + Number(canBlock)
  const ranked = Object.values(details).toSorted((a, b) => rank(a) - rank(b))
  return { ...details, ...Object.fromEntries(ranked.map((each) => [each.command, each])) }
}

const deniedRules = z.object({ permissions: z.object({ deny: z.array(z.string()) }) })

/** The calls that Claude Code itself refuses, from its settings. */
export const readDenied = (place: HooksPlace): string[] => {
  const { text = '' } = readIfThere(hostFile('claude', place))
  const parsed = parseJson(text, 'settings of Claude Code')
  const found = deniedRules.safeParse(parsed.ok ? parsed.value : undefined)
  return found.success ? found.data.permissions.deny : []
}

const medianOf = (lengths: readonly number[]): number | null => {
  const sorted = lengths.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2
}

/** The command of an entry in a host's file: a program, or the daemon's address. */
const commandOf = ({ asks }: HookEntry): string =>
  asks === undefined ? HOOK_FILE : GUARD_PATHS[asks]

/** `claude:PreToolUse:guard:*`: an event may have several of our hooks. */
const keyOf = (host: HostName, { event, guards, asks, matcher }: HookEntry): string =>
  [host, event, asks ?? (guards === true ? 'guard' : undefined), matcher]
    .filter((part) => part !== undefined)
    .join(':')

const ASKED: Readonly<Record<NonNullable<HookEntry['asks']>, string>> = {
  security: 'The daemon judges tool calls and prompts by the security policy',
  skill: 'The daemon judges skills that are about to be used',
  agent: 'The daemon gives hints for agents that are about to be launched',
}

const describeEntry = (
  entry: HookEntry,
): Pick<HookDetail, 'description' | 'behavior' | 'canBlock'> => {
  const waits = `The assistant waits for at most ${entry.timeoutSeconds} s`
  if (entry.asks !== undefined) {
    return {
      description: ASKED[entry.asks],
      behavior: `${waits}; without a daemon it continues`,
      canBlock: entry.asks !== 'agent',
    }
  }
  if (entry.guards === true) {
    return {
      description: 'Judges tool calls by the security policy, without the daemon',
      behavior: `${waits}; refused calls do not run`,
      canBlock: true,
    }
  }
  return {
    description: 'Reports events, sessions and ratings to Steward',
    behavior: entry.async ? 'The assistant does not wait' : waits,
    canBlock: false,
  }
}

type Fired = Pick<Firing, 'event' | 'host' | 'guard' | 'timestamp' | 'duration_ms' | 'errors'>

const isOf = (fired: Fired, host: HostName, entry: HookEntry): boolean =>
  entry.asks === undefined &&
  fired.host === host &&
  fired.event === entry.event &&
  (fired.guard === true) === (entry.guards === true)

const readFirings = async (home: HooksPlace['home']): Promise<Fired[]> => {
  const { rows } = await readTail(firingsPath(home), { rows: ROWS_READ })
  return rows.flatMap(({ row }): Fired[] => {
    const { event, timestamp, guard, duration_ms, errors } = row
    const host = HOSTS.find((each) => each === row.host)
    if (
      isNewer(row) ||
      host === undefined ||
      typeof event !== 'string' ||
      typeof timestamp !== 'string'
    )
      return []
    const told = Array.isArray(errors) ? errors.filter((each) => typeof each === 'string') : []
    return [
      {
        event,
        host,
        timestamp,
        duration_ms: typeof duration_ms === 'number' ? duration_ms : 0,
        errors: told,
        ...(guard === true ? { guard } : {}),
      },
    ]
  })
}

const readIfThere = (path: string): { text?: string; problem?: string } => {
  try {
    const text = readFileSync(path, 'utf8')
    if (path.endsWith('.json') && text.trim() !== '' && !parseJson(text, path).ok) {
      return { text, problem: 'the file is not valid JSON: the assistant cannot read its hooks' }
    }
    return { text }
  } catch (thrown) {
    if (isMissing(thrown)) return {}
    return { problem: reasonOf(thrown) }
  }
}
