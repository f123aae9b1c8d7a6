/** Delay before a retry after a refusal. */
const AGAIN_MS = 3000

/**
 * Server-sent events that reconnect. A browser reconnects after a cut, but gives up permanently on
 * an error status, which a starting daemon may send.
 */
export const openLastingStream = (
  /** Called each time it is opened, because it may contain the resume position. */
  urlOf: () => string,
  listen: (source: EventSource) => void,
  /** Called when it was reopened. */
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
