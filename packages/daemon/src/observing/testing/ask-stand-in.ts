import type { AskModel } from '@steward/agents'
import { createTestClient } from '../../../../models/src/testing/test-client.ts'
import type { VendorStandIn } from '../../../../models/src/testing/vendor-stand-in.ts'

/** Calls the vendor stand-in, which always votes the same and cites the last row it is shown. */
export const askStandIn = (standIn: VendorStandIn, vote = 'continue'): AskModel => {
  const { client } = createTestClient(standIn)
  return (prompt, options) => {
    const [, last] = [...prompt.matchAll(/\{"row":"(r\d+)"/g)].at(-1) ?? []
    const reason = 'The calls edit and test the form, which is what was asked for.'
    const answer = { vote, reason, evidence: [last], tool_calls: [] }
    standIn.script({ text: JSON.stringify(answer) })
    return client.call(prompt, options)
  }
}
