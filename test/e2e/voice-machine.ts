import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isJsonObject } from '@steward/contract'
import type { Cli } from './cli-process.ts'

/**
 * A folder of programs at the front of PATH: a player that records its calls instead of making
 * noise.
 */
export interface VoiceMachine {
  env: Record<string, string>
  folder: string
  /** The player's activity in order: `start PID` and `end PID`. */
  played: () => string[]
  /** The texts given to the engine, in order; only with `withEngine`. */
  said: () => string[]
  /** Sets the duration of playback from now on. */
  setSeconds: (seconds: number) => void
}

export const createVoiceMachine = (
  cli: Cli,
  { withEngine }: { withEngine: boolean },
): VoiceMachine => {
  const folder = join(cli.files, 'programs')
  mkdirSync(folder, { recursive: true })
  const add = (name: string, script: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const setSeconds = (seconds: number) => writeFileSync(join(folder, 'seconds'), String(seconds))
  setSeconds(0)
  add(
    'pw-play',
    `cd '${folder}' && echo "start $$" >> played && for file; do :; done && cp "$file" heard.wav &&
read seconds < seconds; [ "$seconds" = 0 ] || sleep "$seconds"; echo "end $$" >> played`,
  )
  if (withEngine) {
    writeFileSync(join(folder, 'silence.wav'), makeSilence())
    // The first arguments are `-w FILE`.
    add('espeak-ng', `cd '${folder}' && cat >> said && echo >> said && cat silence.wav > "$2"`)
  }
  const linesOf = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  }
  return {
    env: { PATH: [folder, process.env.PATH].join(delimiter) },
    folder,
    played: () => linesOf('played'),
    said: () => linesOf('said'),
    setSeconds,
  }
}

/** Rows of the voice event log. */
export const readVoiceEvents = (cli: Cli): Record<string, unknown>[] => {
  const path = join(cli.home, 'MEMORY', 'VOICE', 'voice-events.jsonl')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const row: unknown = JSON.parse(line)
      return isJsonObject(row) ? row : {}
    })
}

/** The reason why tests with a real voice cannot run here; undefined if they can. */
export const findMissingSpeech = (): string | undefined =>
  spawnSync('espeak-ng', ['--version'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'espeak-ng is not installed (npm test installs it where it needs no password)'

/** A process that has exited stays listed until its parent reaps it. */
export const isRunning = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

const PATIENCE_MS = 120_000

/** Waits for a condition that depends on another process. */
export const eventually = async (holds: () => boolean | Promise<boolean>, what: string) => {
  const deadlineMs = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`${what} did not happen`)
    await wait(20)
  }
}

/** A tenth of a second of silence, 8 kHz, 16 bit. */
const makeSilence = (): Buffer => {
  const bytes = 1600
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(bytes, 40)
  return Buffer.concat([head, Buffer.alloc(bytes)])
}
