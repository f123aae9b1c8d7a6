/** Whether a form holds words that are neither saved nor sent. */
type IsWritten = () => boolean

const forms = new Set<IsWritten>()
let going = $state.raw<() => void>()

/** Has the person asked before what they wrote is lost; for `$effect`, while it is on the page. */
export const keepUnsaved = (isWritten: IsWritten): (() => void) => {
  forms.add(isWritten)
  return () => {
    forms.delete(isWritten)
  }
}

export const hasUnsaved = (): boolean => [...forms].some((isWritten) => isWritten())

/** The person is asked; `go` happens when they say yes. */
export const askToLeave = (go: () => void): void => {
  going = go
}

export const isAskedToLeave = (): boolean => going !== undefined

export const stay = (): void => {
  going = undefined
}

export const leave = (): void => {
  const go = going
  going = undefined
  go?.()
}

/** The browser asks in its own words when the page itself would go. For `$effect`. */
export const warnBeforeUnload = (): (() => void) => {
  const onUnload = (event: BeforeUnloadEvent): void => {
    if (hasUnsaved()) event.preventDefault()
  }
  addEventListener('beforeunload', onUnload)
  return () => removeEventListener('beforeunload', onUnload)
}
