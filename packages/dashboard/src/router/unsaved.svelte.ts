/** Whether a form contains text that was neither saved nor sent. */
type IsWritten = () => boolean

const forms = new Set<IsWritten>()
let going = $state.raw<() => void>()

/** Asks the person before unsaved text is lost; for `$effect`. */
export const keepUnsaved = (isWritten: IsWritten): (() => void) => {
  forms.add(isWritten)
  return () => {
    forms.delete(isWritten)
  }
}

export const hasUnsaved = (): boolean => [...forms].some((isWritten) => isWritten())

/** Asks the person and calls `go` if they agree. */
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

/** The browser shows its own warning when the page is closed. For `$effect`. */
export const warnBeforeUnload = (): (() => void) => {
  const onUnload = (event: BeforeUnloadEvent): void => {
    if (hasUnsaved()) event.preventDefault()
  }
  addEventListener('beforeunload', onUnload)
  return () => removeEventListener('beforeunload', onUnload)
}
