import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HostName, parseJson, reasonOf } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  isLockHeld,
  parseEnv,
  resolveHome,
  secretsOf,
} from '@steward/memory'
import { isHostName, readHostEvent } from '../read-host-event.ts'
import { createClipText } from './clip-text.ts'
import { handleEvent } from './handle-event.ts'
import type { HookPorts } from './hook-ports.ts'
import { readHookSettings } from './read-hook-settings.ts'
import { readStdin } from './read-stdin.ts'

const USAGE = 'usage: steward-hook <event> [--host claude|codex|gemini|cursor|opencode] < payload'

/** The whole program. Never fails its host: what goes wrong is said on standard error. */
export const runHook = async (process: NodeJS.Process): Promise<void> => {
  const report = (text: string) => {
    process.stderr.write(`steward-hook: ${text}\n`)
  }
  try {
    const asked = readArguments(process.argv.slice(2))
    if (asked === undefined) return report(USAGE)
    const payload = parseJson(readStdin(), 'standard input')
    if (!payload.ok) return report(payload.error.message)
    const event = readHostEvent(asked.host, payload.value, asked.event)
    if (event.session_id === '' && event.hook_event_name === '') {
      return report('the payload names neither an event nor a session')
    }
    await handleEvent(event, createPorts(process.env, report))
  } catch (thrown) {
    report(reasonOf(thrown))
  }
}

const readArguments = (args: readonly string[]): { event: string; host: HostName } | undefined => {
  let event: string | undefined
  let host = 'claude'
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--host') host = args[++at] ?? ''
    // The start of the program has taken it over already.
    else if (arg === '--home') at++
    else if (arg.startsWith('--host=')) host = arg.slice('--host='.length)
    else event ??= arg
  }
  return event !== undefined && isHostName(host) ? { event, host } : undefined
}

const createPorts = (env: NodeJS.ProcessEnv, report: (text: string) => void): HookPorts => {
  const home = resolveHome(env)
  const environment = createEnvironment(env, readEnvironmentFile(home.envFile, report))
  const settings = readHookSettings(home)
  if (!settings.ok) report(settings.error.message)
  const redactor = createRedactor(secretsOf(environment))
  return {
    home,
    environment,
    settings: settings.ok ? settings.value : { targets: [], speaker: undefined },
    redactor,
    clip: createClipText(redactor),
    now: Date.now,
    isDaemonUp: () => isLockHeld(join(home.databases, 'daemon.lock')),
    report,
  }
}

const readEnvironmentFile = (
  path: string,
  report: (text: string) => void,
): Record<string, string> => {
  try {
    const parsed = parseEnv(readFileSync(path, 'utf8'), path)
    if (parsed.ok) return parsed.value
    report(parsed.error.message)
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
    if (!isMissing) report(reasonOf(thrown))
  }
  return {}
}
