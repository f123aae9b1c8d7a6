import { CHANNELS, channelName, notificationKind } from '@steward/contract'
import { z } from 'zod'
import type { NotificationsPort } from '../ports.ts'
import { defineTool, limitOf, type Tool } from './tool.ts'

const sentNotice = z.object({
  id: z.string(),
  at: z.string(),
  channel: channelName,
  kind: notificationKind.nullable(),
  title: z.string(),
  message: z.string(),
  state: z.string(),
  attempts: z.int(),
  detail: z.string().nullable(),
})

export const createNotificationsListTool = (notifications: NotificationsPort): Tool =>
  defineTool({
    name: 'notifications_list',
    title: 'List notifications',
    description:
      'Notifications sent to the user by channel (push, chat, desktop, email) and their outcome, newest first.',
    input: z.object({ limit: limitOf(20, 200) }),
    output: z.object({ notifications: z.array(sentNotice) }),
    run: async ({ limit }) => ({ notifications: await notifications.list(limit) }),
  })

export const createNotifyTool = (notifications: NotificationsPort): Tool =>
  defineTool({
    name: 'notify',
    title: 'Notify the user',
    description:
      'Sends the user a notification on the channels that the settings list for its kind. Use it for what cannot wait.',
    effect: 'tells',
    input: z.object({
      message: z.string().trim().min(1).max(4000),
      title: z.string().trim().min(1).max(200).optional(),
      kind: notificationKind.optional(),
      channels: z
        .array(channelName)
        .min(1)
        .max(CHANNELS.length)
        .optional()
        .describe('overrides the channels of its kind'),
    }),
    output: z.object({
      id: z.string(),
      deliveries: z.array(
        z.object({ channel: channelName, state: z.string(), detail: z.string().nullable() }),
      ),
    }),
    run: (notice) => notifications.send(notice),
  })
