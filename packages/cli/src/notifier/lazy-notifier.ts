import { createFlowSender, type Notifier } from '@steward/notify'
import type { Io } from '../io.ts'
import { openNotifier } from './open-notifier.ts'

/** The notifier of this data home, opened on first use. */
export interface LazyNotifier {
  notify: Notifier['notify']
  /** For flows whose destination is `notify`. */
  sendNotice: ReturnType<typeof createFlowSender>
  /** Makes one delivery attempt for sent notices; the daemon does the rest. */
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
