import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createWatchdog, describeSilence, type SilenceAlert } from '@steward/agents'
import { reasonOf, type Settings, StewardError, type StewardEvent } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  ensureHome,
  followAgentLog,
  type Home,
  holdLock,
  isLockHeld,
  type Lock,
  pause,
  type Redactor,
  readEnvFile,
  readSettings,
  resolveHome,
  secretsOf,
} from '@steward/platform'
import { Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'

interface WatchdogFlags {
  session?: string
  silence?: number
  json?: true
}

const HELP = `
Examples:
  steward watchdog --session "$SESSION_ID"     one session, as its host starts it
  steward watchdog --json                      every session, one JSON object per line

Prints a line on standard output when an agent in the background has made no tool call for 90
seconds (--silence, or watchdog.silenceSeconds in settings.json), once for each silence. It reads
the logs itself and needs no daemon. One per session: a second one exits 4.
`

export const createWatchdogCommand = (io: Io): Command =>
  new Command('watchdog')
    .description('Report background agents that stopped responding')
    .option('--session <id>', 'only this session (default: all)')
    .option('--silence <seconds>', 'silence in seconds before an alert', parseSeconds)
    .option('--json', 'print a JSON object for each alert')
    .addHelpText('after', HELP)
    .action(async (flags: WatchdogFlags) => {
      const home = take(await ensureHome(resolveHome(io.env, io.homedir)))
      const settings = take(await readSettings(home))
      if (!settings.watchdog.enabled) {
        io.err.write('watchdog.enabled in settings.json is false: nothing to do\n')
        return
      }
      const secrets = secretsOf(createEnvironment(io.env, take(await readEnvFile(home.envFile))))
      const lock = lockSession(home, flags.session)
      try {
        await watch(io, home, settings, flags, createRedactor(secrets))
      } finally {
        lock.release()
      }
    })

const take = <T>(result: { ok: true; value: T } | { ok: false; error: StewardError }): T => {
  if (!result.ok) throw result.error
  return result.value
}

const parseSeconds = (text: string): number => {
  const seconds = Number(text)
  if (Number.isFinite(seconds) && seconds > 0) return seconds
  throw new InvalidArgumentError('It must be a number of seconds above 0.')
}

const STALE_LOCK_MS = 7 * 86_400_000

const lockSession = (home: Home, session: string | undefined): Lock => {
  const folder = join(home.databases, 'watchdogs')
  // Session ids come from hosts and may contain any characters.
  const name = session === undefined ? 'all' : createHash('sha256').update(session).digest('hex')
  const lock = holdLock(join(folder, `${name}.lock`))
  if (lock === undefined) {
    const subject =
      session === undefined ? 'a watchdog of all sessions' : `a watchdog of ${session}`
    throw new StewardError('run_active', { subject, reason: 'one is enough' })
  }
  removeStaleLocks(folder)
  return lock
}

const removeStaleLocks = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || Date.now() - found.mtimeMs < STALE_LOCK_MS) continue
    if (!isLockHeld(path)) rmSync(path, { force: true })
  }
}

const LOOK_MS = 1000
const SHORTEST_LOOK_MS = 20

const watch = async (
  io: Io,
  home: Home,
  settings: Settings,
  { session, silence, json }: WatchdogFlags,
  redactor: Redactor,
): Promise<void> => {
  const silenceMs = (silence ?? settings.watchdog.silenceSeconds) * 1000
  const watchdog = createWatchdog({ now: io.now, silenceMs: () => silenceMs })
  const ours = (events: readonly StewardEvent[]) =>
    session === undefined ? events : events.filter((event) => event.session_id === session)
  const log = await followAgentLog(home)
  const starter = process.ppid
  try {
    watchdog.begin({ ...log.recent, events: ours(log.recent.events) })
    io.err.write(`watching ${session === undefined ? 'every session' : cleanText(session)}\n`)
    let lastFault = ''
    // Its host may be killed without notice; then the output has no reader.
    while (!io.signal.aborted && process.ppid === starter) {
      const fault = await readInto(async () => watchdog.see(ours(await log.read())))
      if (fault !== '' && fault !== lastFault) io.err.write(`${cleanText(fault)}\n`)
      lastFault = fault
      const { alerts, nextLookMs = LOOK_MS } = watchdog.look()
      for (const alert of alerts) print(io, alert, json === true, redactor)
      await pause(Math.max(SHORTEST_LOOK_MS, Math.min(nextLookMs, LOOK_MS)), io.signal)
    }
  } finally {
    await log.close()
  }
}

/** An unreadable log may be readable later, so watching continues. */
const readInto = async (read: () => Promise<void>): Promise<string> => {
  try {
    await read()
    return ''
  } catch (thrown) {
    return reasonOf(thrown)
  }
}

const print = (io: Io, alert: SilenceAlert, json: boolean, redactor: Redactor): void => {
  const message = describeSilence(alert)
  const line = json ? JSON.stringify({ kind: 'silence', ...alert, message }) : cleanText(message)
  io.out.write(`${redactor.redactText(line).value}\n`)
}
