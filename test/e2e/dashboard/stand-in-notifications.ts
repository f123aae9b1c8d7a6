import type { Page } from 'playwright-core'
import { z } from 'zod'

const shown = z.array(z.object({ title: z.string(), body: z.string() }))

/** What the desktop would be asked to show, and a person who says yes; nobody is there in a test. */
export interface Notifications {
  /** How often the browser asked the person. */
  asked: () => Promise<number>
  shown: () => Promise<Array<z.infer<typeof shown>[number]>>
  /** Another tab or window is in front, or this one again. */
  hide: (hidden: boolean) => Promise<void>
}

export const standInForNotifications = async (page: Page): Promise<Notifications> => {
  await page.addInitScript(() => {
    const told: object[] = []
    let asked = 0
    let hidden = false
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
      hidePage: (now: boolean) => {
        hidden = now
        document.dispatchEvent(new Event('visibilitychange'))
      },
    })
    Object.defineProperty(document, 'visibilityState', {
      get: () => (hidden ? 'hidden' : 'visible'),
    })
  })
  return {
    asked: async () => z.number().parse(await page.evaluate('askedByBrowser()')),
    shown: async () => shown.parse(await page.evaluate('toldByBrowser()')),
    hide: async (hidden) => {
      await page.evaluate(`hidePage(${hidden})`)
    },
  }
}
