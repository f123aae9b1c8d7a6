import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
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
  /** The texts given to the silent engine, in order. */
  said: () => string[]
  /** Sets the duration of playback from now on. */
  setSeconds: (seconds: number) => void
}

/**
 * The engine is silent unless a test listens: then it is the installed espeak-ng, or a program with
 * the same arguments that hums as long as the text is.
 */
export const createVoiceMachine = (
  cli: Cli,
  { isAudible = false }: { isAudible?: boolean } = {},
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
  // The first arguments are `-w FILE`.
  if (!isAudible) {
    writeFileSync(join(folder, 'silence.wav'), makeWav(8000, new Int16Array(800)))
    add('espeak-ng', `cd '${folder}' && cat >> said && echo >> said && cat silence.wav > "$2"`)
  } else if (spawnSync('espeak-ng', ['--version'], { stdio: 'ignore' }).status !== 0) {
    add('espeak-ng', `exec '${process.execPath}' '${import.meta.filename}' "$@"`)
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

/** One channel of 16 bit samples. */
const makeWav = (rate: number, samples: Int16Array): Buffer => {
  const bytes = samples.length * 2
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(bytes, 40)
  return Buffer.concat([head, Buffer.from(samples.buffer)])
}

/** Those of espeak-ng that Steward uses; others are refused. */
const ESPEAK_OPTIONS = {
  file: { type: 'string', short: 'w' },
  voice: { type: 'string', short: 'v' },
  speed: { type: 'string', short: 's' },
  encoding: { type: 'string', short: 'b' },
  stdin: { type: 'boolean' },
} as const
const HUM_RATE = 22_050
const HUM_HZ = 220
const SECONDS_PER_LETTER = 0.07

/** In place of espeak-ng: writes a tone for the text on standard input to the file after `-w`. */
const hum = (args: readonly string[]): void => {
  const { file = '' } = parseArgs({ args: [...args], options: ESPEAK_OPTIONS }).values
  const length = Math.round(readFileSync(0, 'utf8').length * SECONDS_PER_LETTER * HUM_RATE)
  const tone = (_: unknown, at: number) => 8000 * Math.sin((2 * Math.PI * HUM_HZ * at) / HUM_RATE)
  writeFileSync(file, makeWav(HUM_RATE, Int16Array.from({ length }, tone)))
}

if (import.meta.main) hum(process.argv.slice(2))
