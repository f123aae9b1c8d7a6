import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attentionEntry } from '@steward/contract'
import { z } from 'zod'

const waitingList = z.object({ waiting: z.array(attentionEntry) })

/** A person at the dashboard who allows every request of an assistant. */
export const allowRequests =
  (home: string, port: number): (() => Promise<void>) =>
  async () => {
    const tokenFile = join(home, '.steward/token')
    if (!existsSync(tokenFile)) return
    const api = `http://127.0.0.1:${port}/api/attention`
    const answer = await fetch(api).catch(() => undefined)
    if (answer?.ok !== true) return
    const { waiting } = waitingList.parse(await answer.json())
    for (const { id } of waiting) {
      await fetch(`${api}/${encodeURIComponent(id)}/answer`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ decision: 'allow' }),
      }).catch(() => undefined)
    }
  }
