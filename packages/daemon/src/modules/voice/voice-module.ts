import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { API, StewardError } from '@steward/contract'
import { type DaemonModule, handle } from '../../module.ts'
import type { AnnouncementEnded, Speech } from '../../ports.ts'
import { createVoiceEvents } from './events/voice-events.ts'
import { serveVoicePage } from './page/serve-voice-page.ts'
import { createVoiceStream } from './page/voice-stream.ts'
import { createAudioFiles } from './players/audio-files.ts'
import { createAudioPlayer } from './players/audio-player.ts'
import type { VoicePorts } from './ports.ts'
import { createAudioCache } from './providers/audio-cache.ts'
import { createElevenLabs } from './providers/elevenlabs.ts'
import { createOpenAiSpeech } from './providers/openai-speech.ts'
import { createProviderRing } from './providers/provider-ring.ts'
import { createRemoteSpeech } from './providers/remote-speech.ts'
import { createSystemSpeech } from './providers/system.ts'
import { acceptAnnouncement } from './queue/accept-announcement.ts'
import { createMachineVoice } from './queue/machine-voice.ts'
import { createSpeaker, type Speaker } from './queue/speaker.ts'
import { openSpeechStore, type SpeechStore } from './queue/speech-store.ts'
import type { EndedLine, SpeechLine } from './speech-line.ts'
import { createPronunciationsFile, pronunciationsPath } from './text/pronunciations-file.ts'
import { describeVoice, describeVoiceHealth } from './voice-status.ts'
import { withAgentVoices } from './voices/agent-voices.ts'
import { resolveVoice } from './voices/resolve-voice.ts'

const MINUTE_MS = 60_000

export interface VoiceModule extends DaemonModule {
  speech: Speech
}

/** Speech: one queue for the machine, and its providers. */
export const createVoiceModule = (ports: VoicePorts): VoiceModule => {
  const { home, homedir, bus, log, now, settings } = ports
  const folder = join(home.databases, 'speech')
  const machine = createMachineVoice({ homedir, fallbackFolder: home.databases, log })
  const player = createAudioPlayer({ ...ports, onStart: machine.note })
  const files = createAudioFiles(join(folder, 'playing'))
  const cache = createAudioCache({ folder: join(folder, 'cache'), now })
  const stream = createVoiceStream(ports)
  const remote = { ...ports, player, cache }
  const ring = createProviderRing(
    [
      createRemoteSpeech(createElevenLabs(ports), remote),
      createRemoteSpeech(createOpenAiSpeech({ ...ports, player }), remote),
      createSystemSpeech({ ...ports, player, files, onStart: machine.note }),
      stream.provider,
    ],
    ports,
  )
  const pronunciations = createPronunciationsFile(pronunciationsPath(home), log)
  const events = createVoiceEvents(ports)
  const waitingForEnd = new Map<string, Array<(end: AnnouncementEnded) => void>>()
  const endings: Array<() => void> = []
  let open: { store: SpeechStore; speaker: Speaker } | undefined

  const settingsWithAgents = async () => {
    const known = settings()
    const daidentity = await withAgentVoices(home, known.daidentity, (reason) =>
      log.warn(`an agent file was skipped: ${reason}`),
    )
    return { ...known, daidentity }
  }
  const speak = async (line: SpeechLine, signal: AbortSignal) =>
    ring.speak(
      {
        id: line.id,
        text: await pronunciations.pronounce(line.text),
        voice: resolveVoice(line.manner, await settingsWithAgents()),
      },
      signal,
    )

  const tellEnd = ({ line, end }: EndedLine): void => {
    const { outcome, reason, error, engine = 'none' } = end
    const told = { outcome, detail: outcome === 'spoken' ? engine : (error ?? reason ?? outcome) }
    // Lines that are not spoken can still be read.
    if (outcome === 'skipped' && READABLE.has(reason)) stream.caption(line, false)
    stream.ended(line.id, told)
    for (const tell of waitingForEnd.get(line.id) ?? []) tell(told)
    waitingForEnd.delete(line.id)
  }

  const announce: Speech['announce'] = async (announcement, onEnded) => {
    if (open === undefined) {
      const reason = 'no voice module is running'
      return { queued: false, id: randomUUID(), queue_depth: 0, reason }
    }
    bus.publish('live.changed', { topics: ['voice'] })
    return acceptAnnouncement(announcement, {
      ...ports,
      ...open,
      onAccepted: (id) => {
        if (onEnded !== undefined) {
          waitingForEnd.set(id, [...(waitingForEnd.get(id) ?? []), onEnded])
        }
      },
    })
  }

  const need = () => {
    if (open === undefined) {
      throw new StewardError('module_failed', { module: 'voice', reason: 'it has not started' })
    }
    return open
  }
  const statusPorts = {
    ...ports,
    store: () => open?.store,
    speaker: () => open?.speaker,
    ring,
    player,
    pronunciations,
    eventFault: events.fault,
    clients: stream.clients,
  }
  const status = () => describeVoice(statusPorts)

  return {
    name: 'voice',
    speech: { announce },
    handlers: [
      handle(API.getVoice, status),
      handle(API.getVoiceHealth, status),
      handle(API.muteVoice, async ({ body }) => {
        const { store, speaker } = need()
        const untilMs = body.minutes === 0 ? 0 : now() + body.minutes * MINUTE_MS
        await store.setMutedUntilMs(untilMs, now())
        if (untilMs > 0) await speaker.interrupt(false)
        speaker.review()
        return { muted_until: untilMs === 0 ? null : new Date(untilMs).toISOString() }
      }),
      handle(API.interruptVoice, async ({ body }) => ({
        interrupted: await need().speaker.interrupt(body.all),
      })),
      handle(API.streamVoice, ({ query }, call) => stream.open(call, query.speak === 'true')),
      handle(API.reportUtterance, ({ params, body }) => {
        if (stream.report(params.id, body)) return { ok: true as const }
        const { id: name } = params
        throw new StewardError('not_found', { what: 'utterance', name, hint: '' })
      }),
      handle(API.getVoicePage, () => serveVoicePage('index.html')),
      handle(API.getVoicePageFile, ({ params }) => serveVoicePage(params.file)),
    ],
    start: async () => {
      await files.clean()
      await pronunciations.load()
      const store = openSpeechStore(join(home.databases, 'speech.sqlite'))
      const speaker = createSpeaker({
        ...ports,
        store,
        events,
        machine,
        speak,
        engine: () => ring.choice().name,
        onStart: (line) => stream.caption(line, true),
        onEnd: tellEnd,
      })
      open = { store, speaker }
      endings.push(
        bus.subscribe('settings.changed', () => {
          ring.reset()
          speaker.review()
        }),
      )
      await speaker.start()
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      const closing = open
      open = undefined
      await closing?.speaker.stop()
      await closing?.store.close()
    },
    health: () => describeVoiceHealth(statusPorts),
  }
}

/** Reasons for which a skipped line is still shown as a caption. */
const READABLE = new Set<string | undefined>(['muted', 'quiet_hours', 'voice_off'])
