import { isPending, StewardError } from '@steward/contract'
import type { VoicePorts } from '../ports.ts'
import { type AudioFormat, PLAYERS, type Player } from './players.ts'
import type { ProgramEnd } from './programs.ts'

interface Sound {
  path: string
  format: AudioFormat
  /** The duration, if known. */
  durationMs: number | undefined
  volume: number
}

export interface AudioPlayer {
  /** The name of the player that would be used. */
  nameFor: (format: AudioFormat) => string | undefined
  /** Plays to the end; throws the errors of all players, or the reason of an abort. */
  play: (sound: Sound, signal: AbortSignal) => Promise<void>
}

export interface AudioPlayerPorts extends Pick<VoicePorts, 'platform' | 'programs' | 'now'> {
  /** Called with the player's process id, for cleanup after a crash. */
  onStart: (pid: number) => void
}

/** Extra time for start-up, buffers and a device that wakes up. */
const SLACK_MS = 15_000
const UNKNOWN_DURATION_MS = 120_000
/** How long a failed player is not the first choice. */
const DISTRUST_MS = 60_000

/** Plays sound with the installed players; if one fails, the next is tried. */
export const createAudioPlayer = ({
  platform,
  programs,
  now,
  onStart,
}: AudioPlayerPorts): AudioPlayer => {
  const failedAtMs = new Map<string, number>()
  const isDistrusted = ({ name }: Player) =>
    isPending((failedAtMs.get(name) ?? 0) + DISTRUST_MS, now(), DISTRUST_MS)
  const candidatesFor = (format: AudioFormat) =>
    PLAYERS.filter(
      ({ platforms, formats }) => platforms.includes(platform) && formats.includes(format),
    )
      .flatMap((player) => {
        const path = programs.find(player.name)
        return path === undefined ? [] : [{ player, path }]
      })
      .toSorted((a, b) => Number(isDistrusted(a.player)) - Number(isDistrusted(b.player)))

  return {
    nameFor: (format) => candidatesFor(format)[0]?.player.name,
    play: async ({ path: file, format, durationMs, volume }, signal) => {
      const faults: string[] = []
      for (const { player, path } of candidatesFor(format)) {
        const end = await programs.run(path, {
          args: player.args(file, volume),
          timeoutMs: (durationMs ?? UNKNOWN_DURATION_MS) + SLACK_MS,
          signal,
          onStart,
        })
        signal.throwIfAborted()
        if (end.is === 'ended' && end.code === 0) {
          failedAtMs.delete(player.name)
          return
        }
        failedAtMs.set(player.name, now())
        faults.push(`${player.name} ${explainEnd(end)}`)
      }
      const reason = faults.join('; ') || explainMissing(format, platform)
      throw new StewardError('command_missing', { command: 'a player that works', reason })
    },
  }
}

/** Names the programs to install. */
export const explainMissing = (format: AudioFormat, platform: NodeJS.Platform): string => {
  const names = PLAYERS.filter(
    ({ platforms, formats }) => platforms.includes(platform) && formats.includes(format),
  ).map(({ name }) => name)
  if (names.length === 0) return `nothing plays ${format} on ${platform}`
  return `no installed program plays ${format}; install one of ${names.join(', ')}`
}

/** How a program ended, in words. */
export const explainEnd = (end: ProgramEnd): string => {
  if (end.is === 'timed_out') return 'did not end in time'
  if (end.is === 'aborted') return 'was ended'
  if (end.is === 'not_started') return `did not start: ${end.reason}`
  const said = end.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  return `ended with ${end.code}${said === '' ? '' : `: ${said}`}`
}
