import { backupPath, type PlannedChange, renderDiff } from '@steward/assistants'
import { type HostName, reasonOf } from '@steward/contract'
import type { Home } from '@steward/platform'
import { EXIT } from '../../errors/exit-codes.ts'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'

/** Plans the change of each assistant by itself: a file that cannot be read holds up no other. */
export const planEach = async (
  io: Io,
  hosts: readonly HostName[],
  plan: (host: HostName) => PlannedChange | Promise<PlannedChange>,
): Promise<PlannedChange[]> => {
  const changes: PlannedChange[] = []
  const faults: unknown[] = []
  for (const host of hosts) {
    try {
      changes.push(await plan(host))
    } catch (thrown) {
      faults.push(thrown)
      if (hosts.length > 1) io.err.write(`${host}: skipped. ${cleanText(reasonOf(thrown))}\n`)
    }
  }
  // Nothing is left to do but to say why.
  if (changes.length === 0 && faults.length > 0) throw faults[0]
  if (faults.length > 0) io.exitCode = EXIT.failed
  return changes
}

export interface ChangeOptions {
  home: Home
  yes: boolean
  json: boolean
  /** Show every changed line instead of the summary. */
  diff: boolean
  question: string
  /** A change in a few lines, each with its line break. */
  summarize: (change: PlannedChange) => string
  /** The message for a file that is already up to date. */
  unchanged: string
  apply: (change: PlannedChange) => Promise<void>
}

/** Shows the change, asks, then applies it. */
export const changeHosts = async (
  io: Io,
  changes: readonly PlannedChange[],
  options: ChangeOptions,
): Promise<boolean> => {
  const { home, yes, json, diff, question, apply } = options
  const say = (text: string) => (json ? io.err : io.out).write(text)
  const real = changes.filter(({ before, after }) => before !== after)
  for (const change of changes) say(describe(change, options))
  if (real.length > 0 && !diff) say('--diff shows every line.\n')
  const agreed = real.length === 0 || yes || (await askConsent(io, question))
  if (agreed) {
    for (const change of real) {
      await apply(change)
      say(`${change.host}: ${change.path} written\n`)
    }
  } else io.exitCode = EXIT.usage
  if (json) {
    printJson(io.out, {
      changed: agreed && real.length > 0,
      hosts: changes.map(({ host, path, before, after }) => ({
        host,
        file: path,
        changed: agreed && before !== after,
        ...(before === after ? {} : { backup: backupPath(home, path) }),
      })),
    })
  }
  return agreed
}

const describe = (change: PlannedChange, { diff, unchanged, summarize }: ChangeOptions): string => {
  const { host, path, before, after } = change
  if (before === after) return `${host}: ${path} ${unchanged}\n`
  return `${host}: ${path}\n${diff ? showLines(change) : summarize(change)}`
}

const showLines = ({ before, after }: PlannedChange): string =>
  `${renderDiff(before, after).split('\n').map(cleanText).join('\n')}\n`
