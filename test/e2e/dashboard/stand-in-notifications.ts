import type { Page } from 'playwright-core'
import { z } from 'zod'
import { standInForVisibility, type Visibility } from './stand-in-visibility.ts'

const shown = z.array(z.object({ title: z.string(), body: z.string() }))

/**
 * Replaces the notification API by a recorder and grants permission, because a test has no person
 * to ask.
 */
export interface Notifications extends Visibility {
  /** How often the browser asked for permission. */
  asked: () => Promise<number>
  shown: () => Promise<Array<z.infer<typeof shown>[number]>>
}

export const standInForNotifications = async (page: Page): Promise<Notifications> => {
  await page.addInitScript(() => {
    const told: object[] = []
    let asked = 0
    class StandIn extends EventTarget {
      static permission = 'default'
      static requestPermission = async () => {
        asked += 1
        StandIn.permission = 'granted'
        return StandIn.permission
      }
      constructor(title: string, { body = '' } = {}) {
        super()
        told.push({ title, body })
      }
      close() {
        return undefined
      }
    }
    Object.assign(window, {
      Notification: StandIn,
      toldByBrowser: () => told,
      askedByBrowser: () => asked,
    })
  })
  return {
    ...(await standInForVisibility(page)),
    asked: async () => z.number().parse(await page.evaluate('askedByBrowser()')),
    shown: async () => shown.parse(await page.evaluate('toldByBrowser()')),
  }
}
