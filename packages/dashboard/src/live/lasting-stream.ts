/** How long after a refusal it is tried again. */
const AGAIN_MS = 3000

/**
 * Server-sent events that come back by themselves. A browser sees to that when a connection is cut,
 * and gives up for good when the daemon answers with an error, as one does that is just starting.
 */
export const openLastingStream = (
  /** Asked each time it is opened: it may say where to go on. */
  urlOf: () => string,
  listen: (source: EventSource) => void,
  /** Called when it was opened anew. */
  onAnew?: () => void,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = (): EventSource => {
    const opened = new EventSource(urlOf())
    listen(opened)
    opened.addEventListener('error', () => {
      if (opened.readyState !== EventSource.CLOSED) return
      timer = setTimeout(() => {
        source = open()
        onAnew?.()
      }, AGAIN_MS)
    })
    return opened
  }
  let source = open()
  return () => {
    clearTimeout(timer)
    source.close()
  }
}
