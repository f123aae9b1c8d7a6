import { join } from 'node:path'
import { readWorkerDirectories, startHost } from '@steward/edge'
import { median } from '../daemon/median.ts'
import { TOKEN } from './bench-home.ts'
import { type Load, load, summarize } from './load.ts'

type Print = (line: string) => void

const ROUNDS = 5
const ROUND_MS = 1500

type Places = Readonly<Record<string, { ours: string; bare: string; path: string }>>

/** The two sides of a comparison. */
const PLACES: Places = {
  action: { ours: 'exec-a-count-words', bare: 'exec-a-bare-one', path: '/' },
  pipeline: { ours: 'exec-p-count-and-mark', bare: 'exec-p-bare', path: '/' },
}
/** With the record of its runs, which is on by default. */
export const RECORDED: Places = {
  'pipeline with record': { ours: 'exec-p-count-and-mark', bare: 'exec-p-bare-record', path: '/' },
}
const FLOWS = { ours: 'exec-f-file-count', bare: 'exec-f-bare' } as const

/**
 * Our factories on workerd compared with plain handlers with the same bindings, alternating in one
 * process.
 */
export const benchFactories = async (
  print: Print,
  root: string,
  workers: string,
  places: Places = PLACES,
): Promise<void> => {
  const { workers: found, problems } = await readWorkerDirectories(workers)
  if (problems[0] !== undefined) throw problems[0]
  // As on the platform, where user code needs no process of its own; `edge up` is measured separately.
  const directories = found.map((directory) => ({ ...directory, apart: false }))
  const startedAt = performance.now()
  const host = await startHost(directories, {
    environment: { AUTH_TOKEN: TOKEN, LLM_PROVIDER: 'offline' },
    vars: {},
    virtualNow: undefined,
    stateFolder: join(root, 'factories'),
    sendToQueue: () => Promise.reject(new Error('no queue here')),
    versionOf: () => '',
    callSandbox: () => Promise.reject(new Error('no sandbox here')),
    log: () => undefined,
    warn: () => undefined,
    onLost: (error) => {
      throw error
    },
  })
  const startMs = performance.now() - startedAt
  print(`workerd with ${directories.length} workers: ready after ${startMs.toFixed(0)} ms`)
  try {
    await comparePlaces(print, '', (worker) => host.addressOf(worker), places)
    if (places !== PLACES) return
    // A flow has one run at a time, so they are sequential.
    await compare(print, 'flow', {
      ours: () => runInTurn(() => host.runScheduled(FLOWS.ours, '0 * * * *', Date.now())),
      bare: () => runInTurn(() => host.runScheduled(FLOWS.bare, '0 * * * *', Date.now())),
    })
  } finally {
    await host.dispose()
  }
}

/** Calls both sides of every place at their addresses. */
export const comparePlaces = async (
  print: Print,
  where: string,
  addressOf: (worker: string) => Promise<URL>,
  places: Places = PLACES,
): Promise<void> => {
  for (const [kind, { ours, bare, path }] of Object.entries(places)) {
    const addresses = await Promise.all([ours, bare].map(addressOf))
    const [oursUrl, bareUrl] = addresses.map((url) => new URL(path, url).href)
    const sides = { ours: () => loadFor(oursUrl), bare: () => loadFor(bareUrl) }
    await compare(print, `${kind}${where}`, sides)
  }
}

type Side = 'ours' | 'bare'

/** Alternating, so that other load affects both; the first round only compiles. */
const compare = async (
  print: Print,
  kind: string,
  sides: Record<Side, () => Promise<Load>>,
): Promise<void> => {
  const rounds: Record<Side, Load>[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = { ours: await sides.ours(), bare: await sides.bare() }
    if (round > 0) rounds.push(measured)
  }
  const show = (side: Side): string => {
    const of = (key: keyof Load) => median(rounds.map((each) => each[side][key]))
    const errors = rounds.reduce((sum, each) => sum + each[side].errors, 0)
    const failed = errors === 0 ? '' : `, ${errors} ERRORS`
    return `${side} ${of('rps').toFixed(0)}/s p99 ${of('p99Ms').toFixed(1)} ms${failed}`
  }
  const ratio = median(rounds.map(({ ours, bare }) => ours.rps / bare.rps))
  print(`${kind}: ${show('ours')}, ${show('bare')}, ratio ${ratio.toFixed(2)}`)
}

const runInTurn = async (run: () => Promise<string>): Promise<Load> => {
  const timesMs: number[] = []
  let errors = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < ROUND_MS) {
    const at = performance.now()
    if ((await run()) !== 'ok') errors += 1
    timesMs.push(performance.now() - at)
  }
  return summarize(timesMs, performance.now() - startedAt, errors)
}

const loadFor = (url: string | undefined) => load(url, Number.MAX_SAFE_INTEGER, ROUND_MS)
