import { askToLeave, hasUnsaved } from './unsaved.svelte.ts'

/** The current location. */
export interface Place {
  path: string
  query: URLSearchParams
}

const readPlace = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
})

let current = $state.raw(readPlace())

/** The location as reactive state. */
export const place = (): Place => current

/** The query parameters that determine which form is on the page. */
const SHOWS_FORM = ['tab', 'edit']

/** Whether going there would lose unsaved text. */
const wouldLose = ({ pathname, searchParams }: URL): boolean =>
  hasUnsaved() &&
  (pathname !== current.path ||
    SHOWS_FORM.some((name) => searchParams.get(name) !== current.query.get(name)))

/**
 * Navigates to an address of the dashboard like a link; asks first if that would lose unsaved text.
 */
export const goTo = (href: string, { replace = false } = {}): void => {
  const target = new URL(href, location.href)
  if (wouldLose(target)) askToLeave(() => move(target, replace))
  else move(target, replace)
}

const move = (target: URL, replace: boolean): void => {
  const same = target.href === location.href
  if (!same) history[replace ? 'replaceState' : 'pushState'](null, '', target)
  const moved = target.pathname !== current.path
  current = readPlace()
  if (moved) scrollTo(0, 0)
}

const hrefOf = ({ path, query }: Place): string => `${path}${query.size === 0 ? '' : `?${query}`}`

/** Changes only the query; undefined or empty values are removed. */
export const setQuery = (changes: Record<string, string | undefined>): void => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  goTo(hrefOf({ path: location.pathname, query }), { replace: true })
}

/** Links inside the dashboard change the location without a page load. */
export const followLinks = (): (() => void) => {
  const onClick = (event: MouseEvent): void => {
    const href = hrefToFollow(event)
    if (href === undefined) return
    event.preventDefault()
    goTo(href)
  }
  let isLeaving = false
  const onPop = (): void => {
    if (!isLeaving && wouldLose(new URL(location.href))) {
      // The browser has already gone back: the location is restored until the person confirms.
      history.pushState(null, '', hrefOf(current))
      askToLeave(() => {
        isLeaving = true
        history.back()
      })
      return
    }
    isLeaving = false
    current = readPlace()
  }
  document.addEventListener('click', onClick)
  addEventListener('popstate', onPop)
  return () => {
    document.removeEventListener('click', onClick)
    removeEventListener('popstate', onPop)
  }
}

/** Paths of the API: a link to one leaves the dashboard. */
const PROGRAMS = /^\/(api|hooks|notify|voice|health|auth)(\/|$)|^\/assistant\//

const hrefToFollow = (event: MouseEvent): string | undefined => {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download')) return undefined
  if (link.origin !== location.origin || PROGRAMS.test(link.pathname)) return undefined
  const isAnchor = link.pathname === location.pathname && link.hash !== ''
  return isAnchor ? undefined : link.href
}
