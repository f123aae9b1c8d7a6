import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type HostEvent, parseJson, reasonOf } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  isLockHeld,
  isMissing,
  parseEnv,
  resolveHome,
  secretsOf,
} from '@steward/platform'
import { ASSISTANTS, answerHost, readHostEvent } from '../assistants.ts'
import { answerWith } from '../payload/answer-parts.ts'
import { createClipText } from './clip-text.ts'
import type { GuardPorts, HookPorts } from './hook-ports.ts'
import { isDuplicateRegistration } from './is-duplicate-registration.ts'
import { type HookCall, readArguments } from './read-arguments.ts'
import { NO_SETTINGS, readHookSettings } from './read-hook-settings.ts'
import { readStdin } from './read-stdin.ts'
import { type FiredCall, firedCallOf, recordFiring } from './record-firing.ts'
import { writeAnswer } from './write-answer.ts'

/** `performance` would load a whole module of Node. */
const uptimeMs = (): number => process.uptime() * 1000

const USAGE =
  'usage: steward-hook <event> [--host claude|codex|gemini|cursor|opencode] [--guard] < payload'

/** The parts of the process that the program uses. */
export interface HookProcess extends Pick<NodeJS.Process, 'argv' | 'env'> {
  stderr: { write: (text: string) => unknown }
}

/**
 * The whole program; returns its exit code. Never fails its host: errors go to standard error. With
 * `--guard` it judges the event, and answers before anything else.
 */
export const runHook = async (process: HookProcess, read = readStdin): Promise<number> => {
  const errors: string[] = []
  const report = (text: string) => {
    errors.push(text)
    process.stderr.write(`steward-hook: ${text}\n`)
  }
  try {
    const call = readArguments(process.argv.slice(2))
    if (call === undefined) {
      report(USAGE)
      return 0
    }
    const ports = createPorts(process.env, report)
    const { yielded, exitCode, waitedMs, tool } = await takeEvent(call, read, process, ports)
    recordFiring(ports.home, {
      ...call,
      timestamp: new Date(ports.now()).toISOString(),
      // Waiting for the person does not make a hook slow.
      duration_ms: uptimeMs() - waitedMs,
      ...(yielded ? { yielded } : {}),
      ...(tool === undefined ? {} : { tool }),
      ...(errors.length === 0
        ? {}
        : { errors: errors.map((text) => ports.redactor.redactText(text).value) }),
    })
    return exitCode
  } catch (thrown) {
    report(reasonOf(thrown))
    return 0
  }
}

interface Taken {
  /** The event was left to another registration. */
  yielded: boolean
  exitCode: number
  waitedMs: number
  tool?: FiredCall
}

const takeEvent = async (
  call: HookCall,
  read: () => string,
  process: HookProcess,
  ports: HookPorts,
): Promise<Taken> => {
  const taken = { yielded: false, exitCode: 0, waitedMs: 0 }
  try {
    const payload = parseJson(read(), 'standard input')
    if (!payload.ok) {
      ports.report(payload.error.message)
      return taken
    }
    const own = { env: process.env, homedir: homedir() }
    if (isDuplicateRegistration(call, payload.value, own)) return { ...taken, yielded: true }
    const event = readHostEvent(call.host, payload.value, call.event)
    if (event.session_id === '' && event.hook_event_name === '') {
      ports.report('the payload names neither an event nor a session')
    } else if (event.hook_event_name === 'AnswerFailed') {
      ports.report(event.error ?? 'an answer did not reach the assistant')
    } else if (call.guard) {
      const program = process.argv[1] ?? ''
      return {
        ...taken,
        ...(await guard(event, { ...ports, program, payload: payload.value })),
      }
    } else if (!(await answerOwnRequest(event, call, ports))) {
      await handle(ASSISTANTS[event.host].lookUp?.(event) ?? event, ports)
      if (ASKS.has(event.hook_event_name)) {
        const startedMs = uptimeMs()
        const isAnswered = await answerRequest(event, ports)
        taken.waitedMs = uptimeMs() - startedMs
        if (isAnswered) return taken
      }
      if (STOPS.has(event.hook_event_name)) await showTitle(event, ports)
      if (event.hook_event_name === 'SessionStart') await tellContext(event, call, ports)
      return { ...taken, tool: firedCallOf(event, false) }
    }
  } catch (thrown) {
    ports.report(reasonOf(thrown))
  }
  return taken
}

/** Answers first, then records. */
const guard = async (
  event: HostEvent,
  ports: GuardPorts,
): Promise<Pick<Taken, 'exitCode' | 'tool'>> => {
  const { guardEvent } = await import('./guard-event.ts')
  const { verdict, record } = await guardEvent(event, ports)
  const answer = answerHost(event, verdict)
  writeAnswer(answer)
  if (answer.stdout === '') await showTitle(event, ports)
  await record()
  // The launch of an agent is remembered, so that its rows can name it; a refused launch is not.
  if (verdict.kind !== 'deny' && event.tool_name === 'Agent') await handle(event, ports)
  return { exitCode: answer.exitCode, tool: firedCallOf(event, verdict.kind === 'deny') }
}

// A call needs either guarding or handling, so each is loaded on demand.
const handle = async (event: HostEvent, ports: HookPorts): Promise<void> => {
  const { handleEvent } = await import('./handle-event.ts')
  await handleEvent(event, ports)
}

/** Events that a person may answer elsewhere. */
const ASKS: ReadonlySet<string> = new Set(['PermissionRequest', 'Elicitation', 'Stop'])

/** Whether the plugin's own skills ask for it, which needs no answer of the person. */
const answerOwnRequest = async (
  event: HostEvent,
  { origin }: HookCall,
  ports: HookPorts,
): Promise<boolean> => {
  if (origin !== 'plugin' || event.hook_event_name !== 'PermissionRequest') return false
  const { answerForSkills } = await import('./answer-for-skills.ts')
  const answer = answerForSkills(event, ports)
  if (answer !== undefined) writeAnswer(answer)
  return answer !== undefined
}

/** Waits for the person's answer, if the settings say so; false if there is none. */
const answerRequest = async (event: HostEvent, ports: HookPorts): Promise<boolean> => {
  const { awaitAnswer } = await import('./await-answer.ts')
  const answer = await awaitAnswer(event, ports)
  const rendered = answer && ASSISTANTS[event.host].answers?.render(event, answer)
  if (rendered === undefined || rendered.stdout === '') return false
  writeAnswer(rendered)
  return true
}

/** What the assistant should know at the start of a session. */
const tellContext = async (event: HostEvent, call: HookCall, ports: HookPorts): Promise<void> => {
  const { findSessionContext } = await import('./session-context.ts')
  const context = await findSessionContext(event, call, ports)
  if (context !== undefined) writeAnswer(answerHost(event, { kind: 'context', context }))
}

/** The assistant waits for these; a title is not part of a verdict. */
const STOPS: ReadonlySet<string> = new Set(['Stop', 'StopFailure'])

/** Events that change the title of a tab. */
const TITLED: ReadonlySet<string> = new Set([...STOPS, 'UserPromptSubmit'])

/** Lets the assistant set the title of its tab. */
const showTitle = async (event: HostEvent, ports: HookPorts): Promise<void> => {
  if (!TITLED.has(event.hook_event_name)) return
  const { findHostTitle } = await import('./host-title.ts')
  const terminalSequence = await findHostTitle(event, ports)
  if (terminalSequence !== undefined) writeAnswer(answerWith({ terminalSequence }))
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
    settings: settings.ok ? settings.value : NO_SETTINGS,
    redactor,
    clip: createClipText(redactor),
    now: Date.now,
    startedAtMs: Date.now() - uptimeMs(),
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
    if (!isMissing(thrown)) report(reasonOf(thrown))
  }
  return {}
}
