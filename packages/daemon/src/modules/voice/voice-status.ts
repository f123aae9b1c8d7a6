import type { ModuleHealth, VoiceStatus } from '@steward/contract'
import { isQuietAt, isTimezone } from '@steward/notify'
import type { AudioPlayer } from './players/audio-player.ts'
import type { VoicePorts } from './ports.ts'
import type { ProviderRing } from './providers/provider-ring.ts'
import type { Speaker } from './queue/speaker.ts'
import type { SpeechStore } from './queue/speech-store.ts'
import type { PronunciationsFile } from './text/pronunciations-file.ts'
import { configuredVoices, defaultVoiceId } from './voices/resolve-voice.ts'

export interface StatusPorts extends Pick<VoicePorts, 'now' | 'settings' | 'environment'> {
  store: () => SpeechStore | undefined
  speaker: () => Speaker | undefined
  ring: ProviderRing
  player: AudioPlayer
  pronunciations: PronunciationsFile
  /** The fault of the voice event log. */
  eventFault: () => string | undefined
  clients: () => number
}

/** The body of `GET /voice`. */
export const describeVoice = (ports: StatusPorts): VoiceStatus => {
  const { now, settings, environment, ring, player, pronunciations } = ports
  const { voice, notifications, daidentity } = settings()
  const store = ports.store()
  const mutedUntilMs = store?.mutedUntilMs(now()) ?? 0
  const { name, explanation } = ring.choice()
  const isOn = voice.enabled && voice.provider !== 'none'
  return {
    status: isOn ? (faultsOf(ports).length === 0 ? 'ok' : 'degraded') : 'off',
    initialized: store !== undefined,
    enabled: isOn,
    voice_system: isOn ? name : 'none',
    explanation: voice.enabled ? explanation : 'voice.enabled is false',
    providers: ring.describe(),
    default_voice_id: defaultVoiceId({ daidentity }) ?? null,
    api_key_configured: Boolean(environment().ELEVENLABS_API_KEY || environment().SPEECH_API_KEY),
    pronunciation_rules: pronunciations.count(),
    configured_voices: configuredVoices({ daidentity }),
    desktop_notifications: notifications.desktop.enabled,
    player: player.nameFor('mp3') ?? player.nameFor('wav') ?? null,
    queue_depth: store?.depth() ?? 0,
    speaking: ports.speaker()?.speaking() !== undefined,
    muted_until: mutedUntilMs > now() ? new Date(mutedUntilMs).toISOString() : null,
    quiet: isQuietAt(now(), notifications.quietHours),
    last_error: ring.lastError() ?? null,
    quota_exceeded: ring.isQuotaExceeded(),
  }
}

/** Its entry in `/health`. */
export const describeVoiceHealth = (ports: StatusPorts): ModuleHealth => {
  const { voice } = ports.settings()
  if (!voice.enabled) return { status: 'unavailable', reasons: ['voice.enabled is false'] }
  if (voice.provider === 'none') {
    return { status: 'unavailable', reasons: ['voice.provider is "none"'] }
  }
  const faults = faultsOf(ports)
  const { name, explanation } = ports.ring.choice()
  const numbers = {
    voice_system: name,
    queue_depth: ports.store()?.depth() ?? 0,
    speaking: ports.speaker()?.speaking() !== undefined,
    quota_exceeded: ports.ring.isQuotaExceeded(),
    pages: ports.clients(),
  }
  if (faults.length > 0) return { status: 'degraded', reasons: faults, ...numbers }
  // A machine without a voice is not a fault while nothing needs to be spoken.
  if (name === 'none') return { status: 'unavailable', reasons: [explanation], ...numbers }
  return { status: 'ok', ...numbers }
}

const faultsOf = (ports: StatusPorts): string[] => {
  const zone = ports.settings().notifications.quietHours?.timezone
  return [
    ports.ring.lastError(),
    ports.speaker()?.fault(),
    ports.eventFault(),
    ports.pronunciations.fault(),
    zone === undefined || isTimezone(zone)
      ? undefined
      : `notifications.quietHours.timezone ${zone} is unknown; using the machine's`,
  ].filter((fault) => fault !== undefined)
}
