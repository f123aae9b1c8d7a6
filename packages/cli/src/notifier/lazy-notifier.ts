import { createFlowSender, type Notifier } from '@steward/notify'
import type { Io } from '../io.ts'
import { openNotifier } from './open-notifier.ts'

/** The notifier of this data home, opened when there is something to tell. */
export interface LazyNotifier {
  notify: Notifier['notify']
  /** For flows whose destination is `notify`. */
  sendNotice: ReturnType<typeof createFlowSender>
  /** Delivers what was told, once and as far as it may go now; the daemon does the rest. */
  close: () => Promise<void>
}

export const createLazyNotifier = (io: Io): LazyNotifier => {
  let opened: Promise<Notifier> | undefined
  const open = (): Promise<Notifier> => {
    opened ??= openNotifier(io)
    return opened
  }
  const notify: Notifier['notify'] = async (notice) => (await open()).notify(notice)
  return {
    notify,
    sendNotice: createFlowSender({ notify }),
    close: async () => {
      const notifier = await opened
      await notifier?.flush()
      await notifier?.stop()
    },
  }
}
