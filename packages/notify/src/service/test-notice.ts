import type { ChannelName } from '@steward/contract'
import type { Notice } from './notice.ts'

/**
 * The notice of `--test` and the test button, with characters that a wrong encoding would corrupt.
 */
export const testNotice = (channel: ChannelName): Notice => ({
  title: 'Steward: a test – ✓',
  message: `This is a test of ${channel}. If the next two words are readable, all is well: Grüße, שלום`,
  tags: ['white_check_mark'],
})
