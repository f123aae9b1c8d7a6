import { PAGES } from '../pages/pages.ts'
import { goTo } from '../router/router.svelte.ts'

export interface ShortcutActions {
  openPalette: () => void
  openHelp: () => void
}

/** The time after `g` within which the second key counts. */
const SECOND_KEY_MS = 1500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** `Ctrl K`, `?`, and `g` with a page's key; ignored while someone types. */
export const listenForShortcuts = ({ openPalette, openHelp }: ShortcutActions): (() => void) => {
  let goAt = Number.NEGATIVE_INFINITY
  const onKey = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      openPalette()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (document.querySelector('dialog[open]') !== null) return
    if (event.key === '?') {
      openHelp()
      return
    }
    if (event.key === 'g') {
      goAt = event.timeStamp
      return
    }
    const page = PAGES.find(({ key }) => key === event.key)
    if (page !== undefined && event.timeStamp - goAt < SECOND_KEY_MS) goTo(page.path)
    goAt = Number.NEGATIVE_INFINITY
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
