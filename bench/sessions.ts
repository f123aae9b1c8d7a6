import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DrivenSession, drivenSession } from '@steward/contract'
import { z } from 'zod'
import { installStandIn } from '../packages/assistants/src/acp/testing/install-stand-in.ts'
import { startDaemonProcess } from './daemon/daemon-process.ts'
import { median, percentile } from './daemon/median.ts'
import { residentBytesOf, settledBytesOf } from './hosted/process-use.ts'

const SESSIONS = 8
const ROUNDS = 5
const LIMIT_MS = 120_000
const SAMPLE_EVERY_MS = 10
const QUIET_SAMPLES = 500
/** What the issue asks for. */
const MOST_SLOWDOWN = 3
/** Memory is bounded: after the first round the daemon has loaded everything that it needs. */
const MOST_GROWTH = 1.25

/** About 15 s of work: 100 pieces of text a second, as models write, and an edit every half second. */
const TASK = Array.from({ length: 30 }, (_, step) => [
  ...Array.from({ length: 10 }, () => ['say one two three four five', 'rest 50']).flat(),
  `write file-${step}.txt text ${step}`,
])
  .flat()
  .join('\n')

/** A data home with a scripted assistant, and a repository. */
const createPlace = async () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-bench-sessions-'))
  const [home, project] = [join(root, 'home'), join(root, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const settings = { voice: { provider: 'none' }, sessions: { mostAtOnce: SESSIONS } }
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
  await installStandIn('claude', { root: home })
  const who = ['-c', 'user.name=B', '-c', 'user.email=b@b']
  for (const args of [
    ['init', '-q'],
    [...who, 'commit', '-qm', 'first', '--allow-empty'],
  ]) {
    execFileSync('git', ['-C', project, ...args])
  }
  return { root, home, project }
}

/** Eight sessions at once: latency of `/health`, fairness, and the memory of the daemon over rounds. */
export const benchSessions = async (print: (line: string) => void): Promise<void> => {
  const { root, home, project } = await createPlace()
  const daemon = await startDaemonProcess(home)
  const authorization = `Bearer ${readFileSync(join(home, 'token'), 'utf8').trim()}`
  const call = async (path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${daemon.address}${path}`, {
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.json()
  }
  const start = async (): Promise<DrivenSession> => {
    const task = { assistant: 'claude', project, worktree: true, prompt: TASK }
    const rules = { permissions: 'deny', allow: ['edit'] }
    return drivenSession.parse(await call('/api/sessions', { ...task, ...rules }))
  }
  /** Resolves with the sessions when their turns are over. */
  const finished = async (count: number): Promise<DrivenSession[]> => {
    const list = z.object({ sessions: z.array(drivenSession) })
    for (const endMs = performance.now() + LIMIT_MS; performance.now() < endMs; await sleep(250)) {
      const { sessions } = list.parse(await call(`/api/driven-sessions?limit=${count}`))
      if (sessions.every(({ state }) => state !== 'working' && state !== 'starting'))
        return sessions
    }
    throw new Error('the sessions did not finish')
  }
  /** Latencies of `/health`, until `isOver` says so. */
  const sample = async (isOver: (taken: number) => boolean): Promise<number[]> => {
    const taken: number[] = []
    while (!isOver(taken.length)) {
      const startedMs = performance.now()
      await call('/health')
      taken.push(performance.now() - startedMs)
      await sleep(SAMPLE_EVERY_MS)
    }
    return taken
  }

  try {
    await sample((taken) => taken >= QUIET_SAMPLES)
    const quiet = await sample((taken) => taken >= QUIET_SAMPLES)
    const alone = await start().then(() => finished(1))
    const memory = [await settledBytesOf(daemon.pid)]
    let most = 0
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all(Array.from({ length: SESSIONS }, start))
      const ends: { sessions: DrivenSession[] } = { sessions: [] }
      const work = finished(SESSIONS).then((sessions) => {
        ends.sessions = sessions
      })
      const busy = await sample(() => {
        most = Math.max(most, residentBytesOf(daemon.pid))
        return ends.sessions.length > 0
      })
      await work
      const broken = ends.sessions.filter(
        ({ state, toolCalls }) => state !== 'idle' || toolCalls !== 30,
      )
      if (broken.length > 0) throw new Error(`${broken.length} sessions did not do their work`)
      const took = ends.sessions.map(({ workedMs }) => workedMs)
      const slowdown = median(busy) / median(quiet)
      print(
        `round ${round}, ${SESSIONS} sessions: /health ${slowdown.toFixed(2)}x its quiet latency ` +
          `(p95 ${(percentile(busy, 0.95) / percentile(quiet, 0.95)).toFixed(2)}x, p50 ${median(quiet).toFixed(2)} → ${median(busy).toFixed(2)} ms); ` +
          `slowest session ${(Math.max(...took) / Math.min(...took)).toFixed(2)}x the fastest, ` +
          `${(Math.max(...took) / (alone[0]?.workedMs ?? 1)).toFixed(2)}x one alone`,
      )
      if (slowdown > MOST_SLOWDOWN) throw new Error(`/health is more than ${MOST_SLOWDOWN}x slower`)
      memory.push(await settledBytesOf(daemon.pid))
    }
    const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`
    const [, first = 0] = memory
    if ((memory.at(-1) ?? 0) > first * MOST_GROWTH)
      throw new Error(`memory grows: ${memory.map(inMb).join(', ')}`)
    print(
      `memory of the daemon after each round: ${memory.map(inMb).join(', ')}; at most ${inMb(most)}`,
    )
  } finally {
    await daemon.stop()
    rmSync(root, { recursive: true, force: true })
  }
}
