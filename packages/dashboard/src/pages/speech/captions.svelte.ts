import { daemon } from '../../live/daemon.ts'
import { openLastingStream } from '../../live/lasting-stream.ts'
import { toProblem } from '../../live/problem.ts'
import { tellProblem } from '../../live/tell.svelte.ts'

interface Caption {
  id: string
  text: string
  title: string | null
  agent: string | null
  spoken: boolean
  /** Why it was not spoken. */
  failure?: string
  atMs: number
}

interface Utterance {
  id: string
  text: string
  volume: number
  rate: number
  voice: string | null
}

const MOST_SHOWN = 50

export interface Captions {
  /** Newest first. */
  readonly shown: readonly Caption[]
  readonly speaksHere: boolean
  /** Browsers only speak after a click, so this must follow one. */
  setSpeaksHere: (speaks: boolean) => void
}

/**
 * Announcements as they are spoken; spoken by this page if the person wants that. Ends with the
 * component.
 */
export const createCaptions = (): Captions => {
  let shown = $state.raw<readonly Caption[]>([])
  let speaksHere = $state(false)
  let current: SpeechSynthesisUtterance | undefined

  const report = async (
    id: string,
    outcome: 'spoken' | 'failed',
    reason?: string,
  ): Promise<void> => {
    const body = { outcome, ...(reason === undefined ? {} : { reason }) }
    try {
      await daemon.call('reportUtterance', { params: { id }, body })
    } catch (thrown) {
      tellProblem(toProblem(thrown))
    }
  }
  const speak = ({ id, text, volume, rate, voice }: Utterance): void => {
    const utterance = new SpeechSynthesisUtterance(text)
    utterance.volume = volume
    utterance.rate = rate
    utterance.voice = speechSynthesis.getVoices().find(({ name }) => name === voice) ?? null
    current = utterance
    utterance.addEventListener('end', () => {
      if (current === utterance) void report(id, 'spoken')
    })
    utterance.addEventListener('error', ({ error }) => {
      if (current === utterance) void report(id, 'failed', error)
    })
    speechSynthesis.speak(utterance)
  }
  const silence = (): void => {
    current = undefined
    speechSynthesis.cancel()
  }

  $effect(() => {
    const speaks = speaksHere ? 'true' : 'false'
    const listen = (source: EventSource): void => {
      const on = (kind: string, act: (data: unknown) => void): void =>
        source.addEventListener(kind, ({ data }) => act(JSON.parse(String(data))))
      on('caption', (data) => {
        const caption = { ...captionOf(data), atMs: Date.now() }
        shown = [caption, ...shown].slice(0, MOST_SHOWN)
      })
      on('ended', (data) => {
        const { id, outcome, detail } = endOf(data)
        if (outcome !== 'failed') return
        shown = shown.map((each) => (each.id === id ? { ...each, failure: detail } : each))
      })
      on('speak', (data) => speak(utteranceOf(data)))
      on('cancel', silence)
    }
    const close = openLastingStream(
      () => daemon.urlOf('streamVoice', { query: { speak: speaks } }),
      listen,
    )
    return () => {
      close()
      silence()
    }
  })

  return {
    get shown() {
      return shown
    },
    get speaksHere() {
      return speaksHere
    },
    setSpeaksHere: (speaks) => {
      speaksHere = speaks
    },
  }
}

const fieldsOf = (data: unknown): Record<string, unknown> => ({ ...Object(data) })
const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const captionOf = (data: unknown): Omit<Caption, 'atMs'> => {
  const { id, text, title, agent, spoken } = fieldsOf(data)
  return {
    id: String(id),
    text: String(text),
    title: textOr(title),
    agent: textOr(agent),
    spoken: spoken === true,
  }
}

const endOf = (data: unknown): { id: string; outcome: string; detail: string } => {
  const { id, outcome, detail } = fieldsOf(data)
  return { id: String(id), outcome: String(outcome), detail: String(detail) }
}

const utteranceOf = (data: unknown): Utterance => {
  const { id, text, volume, rate, voice } = fieldsOf(data)
  return {
    id: String(id),
    text: String(text),
    volume: Number(volume),
    rate: Number(rate),
    voice: textOr(voice),
  }
}
