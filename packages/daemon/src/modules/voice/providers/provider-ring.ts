import {
  type Settings,
  SPEECH_PROVIDERS,
  type SpeechProviderName,
  type VoiceStatus,
} from '@steward/contract'
import type { VoicePorts } from '../ports.ts'
import { createCircuit } from './circuit.ts'
import type { ProviderFault, SpeechProvider, Utterance } from './provider.ts'

export interface Spoken {
  engine: SpeechProviderName | 'none'
  voiceId?: string
  /** The providers that failed, in order. */
  faults: readonly { engine: SpeechProviderName; fault: ProviderFault }[]
  spoken: boolean
}

interface ProviderChoice {
  name: SpeechProviderName | 'none'
  explanation: string
}

/** All providers: which one speaks, the fallbacks, and the state of each. */
export interface ProviderRing {
  /** Tries providers in order until one has spoken. Only throws on abort. */
  speak: (utterance: Utterance, signal: AbortSignal) => Promise<Spoken>
  choice: () => ProviderChoice
  describe: () => VoiceStatus['providers']
  lastError: () => string | undefined
  isQuotaExceeded: () => boolean
  /** After a change by the person all providers are tried again. */
  reset: () => void
}

export const createProviderRing = (
  providers: readonly SpeechProvider[],
  { now, settings, log }: Pick<VoicePorts, 'now' | 'settings' | 'log'>,
): ProviderRing => {
  const entries = new Map(
    providers.map((provider) => [provider.name, { provider, circuit: createCircuit(now) }]),
  )
  const inOrder = () =>
    orderProviders(settings().voice.provider).flatMap((name) => entries.get(name) ?? [])
  const usable = () =>
    inOrder().filter(({ provider, circuit }) => provider.check().available && circuit.mayTry())

  return {
    speak: async (utterance, signal) => {
      const faults: { engine: SpeechProviderName; fault: ProviderFault }[] = []
      for (const { provider, circuit } of usable()) {
        const attempt = await provider.speak(utterance, signal)
        if (attempt.ok) {
          circuit.succeed()
          const { ok: _, ...voice } = attempt
          return { spoken: true, engine: provider.name, ...voice, faults }
        }
        circuit.fail(attempt.fault)
        log.warn(`voice: ${provider.name} did not speak: ${attempt.fault.message}`)
        faults.push({ engine: provider.name, fault: attempt.fault })
      }
      return { spoken: false, engine: faults.at(-1)?.engine ?? 'none', faults }
    },
    choice: () => explainChoice(settings().voice.provider, inOrder(), usable()[0]?.provider.name),
    describe: () =>
      [...entries.values()].map(({ provider, circuit }) => {
        const { available, reason } = provider.check()
        const state = circuit.state()
        return {
          name: provider.name,
          available,
          reason,
          circuit: state.circuit,
          retryAt: state.retryAtMs === undefined ? null : new Date(state.retryAtMs).toISOString(),
          lastError: state.fault?.message ?? null,
        }
      }),
    lastError: () => {
      const faults = inOrder().flatMap(({ provider, circuit }) => {
        const { fault } = circuit.state()
        return fault === undefined ? [] : [{ name: provider.name, message: fault.message }]
      })
      if (faults.length < 2) return faults[0]?.message
      // The reason of each provider, the preferred one first.
      return faults.map(({ name, message }) => `${name}: ${message}`).join('; ')
    },
    isQuotaExceeded: () => inOrder().some(({ circuit }) => circuit.state().fault?.kind === 'quota'),
    reset: () => {
      for (const { circuit } of entries.values()) circuit.reset()
    },
  }
}

interface Entry {
  provider: SpeechProvider
  circuit: ReturnType<typeof createCircuit>
}

const explainChoice = (
  wanted: string,
  order: readonly Entry[],
  chosen: SpeechProviderName | undefined,
): ProviderChoice => {
  if (wanted === 'none') return { name: 'none', explanation: 'voice.provider is "none"' }
  const passedOver = order
    .slice(0, chosen === undefined ? undefined : order.findIndex((e) => e.provider.name === chosen))
    .map(({ provider, circuit }) => {
      const { available, reason } = provider.check()
      const { fault } = circuit.state()
      return `${provider.name}: ${available ? `rests after ${fault?.message}` : reason}`
    })
  const why = passedOver.length === 0 ? '' : `; before it ${passedOver.join('; ')}`
  const asked = wanted === 'auto' ? 'voice.provider is "auto"' : `voice.provider is "${wanted}"`
  if (chosen === undefined) {
    return {
      name: 'none',
      explanation: `${asked}, and no provider can speak: ${passedOver.join('; ')}`,
    }
  }
  const { reason } = order.find((e) => e.provider.name === chosen)?.provider.check() ?? {}
  return { name: chosen, explanation: `${asked}: ${chosen} speaks, because ${reason}${why}` }
}

/** Providers that do not send the text to another service. */
const LOCAL: readonly SpeechProviderName[] = ['system', 'browser']

/**
 * The order of providers. `auto`: all, best sounding first. A provider chosen by the person comes
 * first, and only local providers are fallbacks.
 */
const orderProviders = (chosen: Settings['voice']['provider']): readonly SpeechProviderName[] => {
  if (chosen === 'none') return []
  if (chosen === 'auto') return SPEECH_PROVIDERS
  return [chosen, ...LOCAL.filter((name) => name !== chosen)]
}
