import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseJson, reasonOf } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  isLockHeld,
  parseEnv,
  resolveHome,
  secretsOf,
} from '@steward/memory'
import { readHostEvent } from '../read-host-event.ts'
import { createClipText } from './clip-text.ts'
import { handleEvent } from './handle-event.ts'
import type { HookPorts } from './hook-ports.ts'
import { isToldElsewhere } from './is-told-elsewhere.ts'
import { noteFiring } from './note-firing.ts'
import { type HookCall, readArguments } from './read-arguments.ts'
import { readHookSettings } from './read-hook-settings.ts'
import { readStdin } from './read-stdin.ts'

const USAGE = 'usage: steward-hook <event> [--host claude|codex|gemini|cursor|opencode] < payload'

/** What the program has of its process. */
export interface HookProcess extends Pick<NodeJS.Process, 'argv' | 'env'> {
  stderr: { write: (text: string) => unknown }
}

/** The whole program. Never fails its host: what goes wrong is said on standard error. */
export const runHook = async (process: HookProcess, read = readStdin): Promise<void> => {
  const errors: string[] = []
  const report = (text: string) => {
    errors.push(text)
    process.stderr.write(`steward-hook: ${text}\n`)
  }
  try {
    const call = readArguments(process.argv.slice(2))
    if (call === undefined) return report(USAGE)
    const ports = createPorts(process.env, report)
    const yielded = await takeEvent(call, read, process.env, ports)
    noteFiring(ports.home, {
      ...call,
      timestamp: new Date(ports.now()).toISOString(),
      duration_ms: performance.now(),
      ...(yielded ? { yielded } : {}),
      ...(errors.length === 0
        ? {}
        : { errors: errors.map((text) => ports.redactor.redactText(text).value) }),
    })
  } catch (thrown) {
    report(reasonOf(thrown))
  }
}

/** Gives back whether the event was left to another registration. */
const takeEvent = async (
  call: HookCall,
  read: () => string,
  env: NodeJS.ProcessEnv,
  ports: HookPorts,
): Promise<boolean> => {
  try {
    const payload = parseJson(read(), 'standard input')
    if (!payload.ok) {
      ports.report(payload.error.message)
      return false
    }
    if (isToldElsewhere(call, payload.value, { env, homedir: homedir() })) return true
    const event = readHostEvent(call.host, payload.value, call.event)
    if (event.session_id === '' && event.hook_event_name === '') {
      ports.report('the payload names neither an event nor a session')
    } else await handleEvent(event, ports)
  } catch (thrown) {
    ports.report(reasonOf(thrown))
  }
  return false
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
