import { readFile } from 'node:fs/promises'
import { reasonOf } from '@steward/contract'
import type { AudioFiles } from '../players/audio-files.ts'
import { type AudioPlayer, explainEnd } from '../players/audio-player.ts'
import type { VoicePorts } from '../ports.ts'
import { inspectAudio } from './audio-format.ts'
import { type Attempt, failed, type SpeechProvider, type Utterance } from './provider.ts'

export interface SystemSpeechPorts extends Pick<VoicePorts, 'platform' | 'programs'> {
  player: AudioPlayer
  files: AudioFiles
  onStart: (pid: number) => void
}

/** Engines write a sound file much faster than it plays. */
const SYNTHESIS_MS = 30_000
/** An engine that plays directly needs as long as the line. */
const SPEAKING_MS = 120_000
const ESPEAK_WORDS_PER_MINUTE = 175
const SAY_WORDS_PER_MINUTE = 175

/** How espeak-ng says that the system has nothing to play sound with. */
const NO_DEVICE = /No such file or directory|No such device|audio|sound|pcm|alsa/i

/**
 * The machine's own speech: `say`, `espeak-ng` or speech-dispatcher. Nothing leaves the machine.
 */
export const createSystemSpeech = (ports: SystemSpeechPorts): SpeechProvider => {
  const { programs, player, files, platform, onStart } = ports

  const say = async (path: string, { text, voice }: Utterance, signal: AbortSignal) => {
    const rate = Math.round(SAY_WORDS_PER_MINUTE * (voice.settings.speed ?? 1))
    const named = voice.system === undefined ? [] : ['-v', voice.system]
    const end = await programs.run(path, {
      args: [...named, '-r', String(rate), '-f', '-'],
      stdin: text,
      timeoutMs: SPEAKING_MS,
      signal,
      onStart,
    })
    signal.throwIfAborted()
    if (end.is === 'ended' && end.code === 0) return { ok: true } as const
    return failed(`say ${explainEnd(end)}`)
  }

  const espeak = async (
    path: string,
    { text, voice }: Utterance,
    signal: AbortSignal,
  ): Promise<Attempt> => {
    const speed = Math.round(ESPEAK_WORDS_PER_MINUTE * (voice.settings.speed ?? 1))
    const named = voice.system === undefined ? [] : ['-v', voice.system]
    const args = [...named, '-s', String(speed), '-b', '1', '--stdin']
    if (player.nameFor('wav') === undefined) {
      const loudness = Math.round(voice.volume * 100)
      const end = await programs.run(path, {
        args: ['-a', String(loudness), ...args],
        stdin: text,
        timeoutMs: SPEAKING_MS,
        signal,
        onStart,
      })
      signal.throwIfAborted()
      // Without a sound device it prints an error but exits 0.
      const complaint = end.is === 'ended' ? /^error:.*$/im.exec(end.stderr)?.[0] : undefined
      if (end.is === 'ended' && end.code === 0 && complaint === undefined) return { ok: true }
      if (complaint !== undefined && NO_DEVICE.test(complaint)) {
        return failed('espeak-ng found no sound device: connect one, or set voice.provider')
      }
      return failed(`espeak-ng ${complaint ?? explainEnd(end)}`)
    }
    return files.withFile('wav', async (file) => {
      const end = await programs.run(path, {
        args: ['-w', file, ...args],
        stdin: text,
        timeoutMs: SYNTHESIS_MS,
        signal,
      })
      signal.throwIfAborted()
      if (end.is !== 'ended' || end.code !== 0) return failed(`espeak-ng ${explainEnd(end)}`)
      const sound = inspectAudio(await readFile(file))
      if (!sound.ok) return failed(`espeak-ng wrote invalid audio: ${sound.reason}`)
      const { volume } = voice
      await player.play({ path: file, format: 'wav', durationMs: sound.durationMs, volume }, signal)
      return { ok: true }
    })
  }

  const dispatch = async (
    path: string,
    { text, voice }: Utterance,
    signal: AbortSignal,
  ): Promise<Attempt> => {
    const volume = Math.round(voice.volume * 200) - 100
    const end = await programs.run(path, {
      args: ['--wait', '--volume', String(volume), '--', text],
      timeoutMs: SPEAKING_MS,
      signal,
      onStart,
    })
    if (end.is === 'aborted' || end.is === 'timed_out') {
      // The server behind it keeps speaking unless it is cancelled.
      await programs.run(path, {
        args: ['--cancel'],
        timeoutMs: SYNTHESIS_MS,
        signal: new AbortController().signal,
      })
    }
    signal.throwIfAborted()
    if (end.is === 'ended' && end.code === 0) return { ok: true }
    return failed(`spd-say ${explainEnd(end)}`)
  }

  const ENGINES =
    platform === 'darwin'
      ? [{ name: 'say', speak: say }]
      : [
          { name: 'espeak-ng', speak: espeak },
          { name: 'spd-say', speak: dispatch },
        ]
  const findEngine = () =>
    ENGINES.flatMap(({ name, speak }) => {
      const path = programs.find(name)
      return path === undefined ? [] : [{ name, path, speak }]
    })

  return {
    name: 'system',
    check: () => {
      const [engine] = findEngine()
      if (engine === undefined) {
        const names = ENGINES.map(({ name }) => name).join(' nor ')
        return { available: false, reason: `neither ${names} is installed` }
      }
      return { available: true, reason: `${engine.name} is installed` }
    },
    speak: async (utterance, signal) => {
      const faults: string[] = []
      for (const { path, speak } of findEngine()) {
        const attempt = await speak(path, utterance, signal).catch((thrown: unknown) => {
          signal.throwIfAborted()
          return failed(reasonOf(thrown))
        })
        if (attempt.ok) return attempt
        faults.push(attempt.fault.message)
      }
      return failed(faults.join('; ') || 'no speech engine is installed')
    },
  }
}
