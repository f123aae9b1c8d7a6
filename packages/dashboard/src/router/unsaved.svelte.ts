/** Whether going there would lose what somebody wrote. */
export type WouldLose = (target: URL) => boolean

const guards = new Set<WouldLose>()
let going = $state.raw<() => void>()

/** Has the person asked before what they wrote is lost; for `$effect`, while it is on the page. */
export const keepUnsaved = (guard: WouldLose): (() => void) => {
  guards.add(guard)
  return () => {
    guards.delete(guard)
  }
}

export const wouldLose = (target: URL): boolean => [...guards].some((guard) => guard(target))

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
    if (wouldLose(new URL('about:blank'))) event.preventDefault()
  }
  addEventListener('beforeunload', onUnload)
  return () => removeEventListener('beforeunload', onUnload)
}
