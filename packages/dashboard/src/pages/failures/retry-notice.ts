import { daemon } from '../../live/daemon.ts'
import { attempt, tell } from '../../live/tell.svelte.ts'
import { formatMinute } from '../../ui/format.ts'

/** Waits shorter than this need no explanation. */
const SOON_MS = 60_000

export const retryNotice = (id: string): Promise<boolean> =>
  attempt(async () => {
    const { sends_at } = await daemon.call('retryDelivery', { params: { id }, body: {} })
    const atMs = Date.parse(sends_at)
    tell(
      atMs - Date.now() < SOON_MS
        ? 'The notification is sent again.'
        : `The channel takes no message before ${formatMinute(atMs)}; the notification is sent then. A successful test of the channel ends a pause after failures.`,
    )
  })
