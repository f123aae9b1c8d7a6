import type { Sink } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { agentLabel, renderEvent, textOf } from './render-event.ts'
import type { StreamedEvent } from './types.ts'

export interface EventPrinter {
  print: (event: StreamedEvent) => void
}

/** Prints events as they come, a message also while it is being written. */
export const createEventPrinter = (out: Sink, json: boolean): EventPrinter => {
  if (json) return { print: (event) => printJson({ ...out, isTerminal: false }, event) }
  const { paint } = out
  let open: { id: string; shown: string } | undefined

  const begin = (id: string): void => {
    endPreview()
    out.write(agentLabel(paint))
    open = { id, shown: '' }
  }
  const add = (id: string, text: string): void => {
    if (open?.id !== id) return
    const clean = cleanText(text)
    out.write(clean)
    open.shown += clean
  }
  const endPreview = (): void => {
    if (open !== undefined) out.write('\n')
    open = undefined
  }

  return {
    print: (event) => {
      if (event.type === 'event_start') {
        if (event.event.type === 'agent.message') begin(event.event.id)
        return
      }
      if (event.type === 'event_delta') {
        const { content } = event.delta
        if (content.type === 'text') add(event.event_id, content.text)
        return
      }
      if (event.type === 'agent.message' && event.id === open?.id) {
        const whole = textOf(event.content)
        // Previews are a beginning of the message; should one not be, the message itself counts.
        if (whole.startsWith(open.shown)) out.write(whole.slice(open.shown.length))
        else out.write(`\n${agentLabel(paint)}${whole}`)
        endPreview()
        return
      }
      const text = renderEvent(event, paint)
      // Without a final event the end of the model's call ends the preview.
      if (text !== undefined || event.type === 'span.model_request_end') endPreview()
      if (text !== undefined) out.write(text)
    },
  }
}
