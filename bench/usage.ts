import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchDaemonImport } from './usage/daemon-import.ts'
import { type WrittenTranscripts, writeTranscripts } from './usage/write-transcripts.ts'

type Print = (line: string) => void

const FILES = 10_000
/** Enough for several threads, too. */
const SMALL_FILES = 1000
const ROUNDS = 2
const POLL_MS = 20
const LAUNCHER = fileURLToPath(new URL('../packages/cli/bin/steward.mjs', import.meta.url))
const PEER = fileURLToPath(new URL('../node_modules/.bin/ccusage', import.meta.url))

/** Importing the history of assistants, next to `ccusage` reading the same files. */
export const benchUsage = async (print: Print): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  try {
    const small = join(directory, 'small')
    const large = join(directory, 'large')
    writeTranscripts(small, SMALL_FILES)
    const written = writeTranscripts(large, FILES)
    print(`${written.files} transcripts, ${megabytes(written.bytes)} MB, ${written.calls} calls`)
    // The first start after a change of the sources builds the program.
    await importAll(directory, small)
    const few = await importAll(directory, small)
    const ours: Measured[] = []
    const theirs: Measured[] = []
    // The files are in memory afterwards, for both.
    await ccusage(large)
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await importAll(directory, large))
      theirs.push(await ccusage(large))
    }
    const [own, peer] = [fastest(ours), fastest(theirs)]
    report(print, 'steward usage import', own, written)
    report(print, 'ccusage session --offline', peer, written)
    print(
      `  throughput ${(peer.seconds / own.seconds).toFixed(2)}x of ccusage, ${(peer.busySeconds / own.busySeconds).toFixed(2)}x for the same processor time`,
    )
    print(
      `  memory ${own.megabytes.toFixed(0)} MB, ${(own.megabytes / few.megabytes).toFixed(2)}x of importing ${SMALL_FILES} transcripts, ${(own.megabytes / own.halfwayMegabytes).toFixed(2)}x of half-way`,
    )
    await benchDaemonImport(directory, large, written, print)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Measured {
  seconds: number
  /** Of all processors. */
  busySeconds: number
  megabytes: number
  /** The most until half of the time was over. */
  halfwayMegabytes: number
}

const importAll = async (directory: string, config: string): Promise<Measured> => {
  const home = mkdtempSync(join(directory, 'home-'))
  const measured = await measure([process.execPath, LAUNCHER, 'usage', 'import'], {
    ...environment(config),
    STEWARD_HOME: home,
  })
  rmSync(home, { recursive: true })
  return measured
}

/** With the priority that an import gives itself. */
const ccusage = (config: string): Promise<Measured> =>
  measure(
    [
      'nice',
      '-n',
      String(constants.priority.PRIORITY_BELOW_NORMAL),
      PEER,
      'claude',
      'session',
      '--json',
      '--offline',
    ],
    environment(config),
  )

const environment = (config: string): NodeJS.ProcessEnv => {
  const nowhere = join(config, 'nothing')
  mkdirSync(nowhere, { recursive: true })
  const { PATH } = process.env
  return { PATH, HOME: nowhere, CLAUDE_CONFIG_DIR: config }
}

/** The shell reports the processor time of the program and those it starts. */
const measure = async (command: readonly string[], env: NodeJS.ProcessEnv): Promise<Measured> => {
  const script = `TIMEFORMAT='%R %U %S'; time "$@" > /dev/null`
  const child = spawn('bash', ['-c', script, 'bash', ...command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const peaks = [0]
  const poll = setInterval(() => {
    peaks.push(Math.max(peaks.at(-1) ?? 0, ...childrenOf(child.pid ?? 0).map(peakMegabytes)))
  }, POLL_MS)
  const [code] = await once(child, 'close')
  clearInterval(poll)
  const [real, user, system] = said.trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
  if (code !== 0 || real === undefined) throw new Error(`${command.join(' ')}: ${said}`)
  return {
    seconds: real,
    busySeconds: (user ?? 0) + (system ?? 0),
    megabytes: peaks.at(-1) ?? 0,
    halfwayMegabytes: peaks[Math.floor(peaks.length / 2)] ?? 0,
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const direct = children.split(' ').filter(Boolean).map(Number)
    return direct.flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return []
  }
}

const peakMegabytes = (pid: number): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const fastest = (measured: readonly Measured[]): Measured =>
  measured.reduce((best, each) => (each.seconds < best.seconds ? each : best))

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)

const report = (print: Print, name: string, measured: Measured, { bytes }: WrittenTranscripts) => {
  const { seconds, busySeconds } = measured
  const rate = bytes / 1024 / 1024 / seconds
  print(
    `  ${name.padEnd(28)} ${seconds.toFixed(2)} s, ${busySeconds.toFixed(2)} s of processors, ${rate.toFixed(0)} MB/s, ${measured.megabytes.toFixed(0)} MB`,
  )
}

if (import.meta.main) await benchUsage(console.log)
