import type { ChannelName } from '@steward/contract'
import type { Notice } from './notice.ts'

/** What `--test` and the test button send: with characters that a badly encoded channel would spoil. */
export const testNotice = (channel: ChannelName): Notice => ({
  title: 'Steward: a test – ✓',
  message: `This is a test of ${channel}. If the next two words are readable, all is well: Grüße, שלום`,
  tags: ['white_check_mark'],
})
