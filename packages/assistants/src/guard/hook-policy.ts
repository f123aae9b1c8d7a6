import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isJsonObject,
  type JsonObject,
  PATH_TIERS,
  PATTERN_SECTIONS,
  parseJson,
  type SecurityPolicy,
} from '@steward/contract'
import { type Home, isNewer, withVersion } from '@steward/platform'
import { compilePolicy, openDefaultPolicy } from '@steward/policy'
import { describeBroken, MISSING, type PolicyState, policyPath, stampOf } from './policy-state.ts'
import { protectedPaths } from './protected-paths.ts'

export interface HookPolicyPlace {
  home: Pick<Home, 'root' | 'user' | 'databases' | 'stateDir'>
  homedir: string
  /** The hook program's own file. */
  program?: string
}

type Read = { definition: SecurityPolicy } | { broken: string }

/**
 * The policy for a process that handles one call. Parsing YAML takes longer than the rest of the
 * hook, so the result is cached in `state/`, which the policy itself protects, until the file
 * changes.
 */
export const openHookPolicy = async ({
  home,
  homedir,
  program,
}: HookPolicyPlace): Promise<PolicyState> => {
  const place = {
    home: homedir,
    dataHome: home.root,
    protectedPaths: protectedPaths(home, program),
  }
  const stamp = stampOf(policyPath(home))
  if (stamp === undefined) return { policy: openDefaultPolicy(place), problem: MISSING }
  const kept = join(home.databases, 'policy.json')
  const read = readKept(kept, stamp) ?? (await readAgain(policyPath(home), kept, stamp))
  if ('definition' in read) return { policy: compilePolicy(read.definition, place) }
  return { policy: openDefaultPolicy(place), problem: describeBroken(read.broken) }
}

const readAgain = async (path: string, kept: string, stamp: string): Promise<Read> => {
  const { parsePolicy } = await import('./lazy-guards.ts')
  const parsed = parsePolicy(readFileSync(path, 'utf8'))
  const read: Read = parsed.ok
    ? { definition: parsed.value.policy }
    : { broken: parsed.error.message }
  keep(kept, withVersion({ stamp, ...read }))
  return read
}

const keep = (path: string, fields: JsonObject): void => {
  const draft = `${path}.${process.pid}`
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  writeFileSync(draft, JSON.stringify(fields), { mode: 0o600 })
  renameSync(draft, path)
}

/** Only accepts a cache that this person alone can have written, for the current file. */
const readKept = (path: string, stamp: string): Read | undefined => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile()) return undefined
  const isOthers = process.getuid !== undefined && found.uid !== process.getuid()
  if (isOthers || (process.getuid !== undefined && (found.mode & 0o077) !== 0)) return undefined
  const parsed = parseJson(readFileSync(path, 'utf8'), path)
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const { stamp: of, definition, broken } = parsed.value
  // A cache of a newer Steward is read again from the file.
  if (isNewer(parsed.value) || of !== stamp) return undefined
  if (typeof broken === 'string') return { broken }
  return isPolicy(definition) ? { definition } : undefined
}

/** The form was checked when it was cached; this detects a file that was damaged since. */
const isPolicy = (value: unknown): value is SecurityPolicy =>
  isJsonObject(value) &&
  isRules(value) &&
  isJsonObject(value.projects) &&
  Object.values(value.projects).every((rules) => isJsonObject(rules) && isRules(rules))

const isRules = ({ bash, paths }: JsonObject): boolean =>
  isJsonObject(bash) &&
  isJsonObject(paths) &&
  PATTERN_SECTIONS.every((section) => isListOf(bash[section], isPattern)) &&
  PATH_TIERS.every((tier) => isListOf(paths[tier], (glob) => typeof glob === 'string'))

const isPattern = (value: unknown): boolean =>
  isJsonObject(value) && typeof value.pattern === 'string' && typeof value.reason === 'string'

const isListOf = (value: unknown, check: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(check)
