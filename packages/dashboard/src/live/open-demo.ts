import { daemon } from './daemon.ts'
import { attempt } from './tell.svelte.ts'

/** Loads the demo day, if needed, and opens it in a tab of its own. */
export const openDemo = (): Promise<boolean> =>
  attempt(async () => {
    // Opened at once, because browsers refuse a tab that comes long after the click.
    const tab = window.open('about:blank')
    try {
      const { url } = await daemon.call('openDemo', { body: {} })
      if (tab === null) location.assign(url)
      else tab.location.replace(url)
    } catch (thrown) {
      tab?.close()
      throw thrown
    }
  })
