import { z } from 'zod'
import { phase, phaseOutcome } from './work-state.ts'

/** Spec 2, Events. The kind of a notification determines its channels. */
export const NOTIFICATION_KINDS = [
  'taskComplete',
  'longTask',
  'backgroundAgent',
  'error',
  'security',
  'waiting',
] as const
export const notificationKind = z.enum(NOTIFICATION_KINDS)
export type NotificationKind = z.infer<typeof notificationKind>

/** Channels besides voice. The spec routes to `push` and `chat`; the others are ours. */
export const CHANNELS = ['push', 'chat', 'desktop', 'email', 'webpush'] as const
export const channelName = z.enum(CHANNELS)
export type ChannelName = z.infer<typeof channelName>

/** Spec 2, Notification settings. */
export const DEFAULT_ROUTING: Readonly<Record<NotificationKind, readonly ChannelName[]>> = {
  taskComplete: [],
  longTask: ['push'],
  backgroundAgent: ['push'],
  error: ['push'],
  security: ['push', 'chat'],
  waiting: ['push', 'webpush'],
}

const voiceSettings = z.looseObject({
  stability: z.number().min(0).max(1).optional(),
  similarity_boost: z.number().min(0).max(1).optional(),
  style: z.number().min(0).max(1).optional(),
  speed: z.number().min(0.5).max(2).optional(),
  use_speaker_boost: z.boolean().optional(),
})
export type VoiceSettings = z.infer<typeof voiceSettings>

/**
 * The body of `POST /notify`: the spec's five fields plus those that clients of its predecessors
 * send.
 */
export const notifyRequest = z
  .looseObject({
    message: z.string().trim().min(1),
    /** Defaults to the voice of the assistant identity; clients without a voice send an empty one. */
    voice_id: z.string().optional(),
    title: z.string().optional(),
    phase: phase.optional(),
    slug: z.string().min(1).optional(),
    session_id: z.string().min(1).optional(),
    voice_enabled: z.boolean().optional(),
    /** Alias of `voice_id`. */
    voice_name: z.string().optional(),
    voice_settings: voiceSettings.optional(),
    volume: z.number().min(0).max(1).optional(),
    /** The speaking agent; it may have its own voice in the settings. */
    agent: z.string().min(1).optional(),
    /** The kind of notification: routed to channels as well, and spoken earlier. */
    kind: notificationKind.optional(),
  })
  .meta({ id: 'NotifyRequest' })
export type NotifyRequest = z.infer<typeof notifyRequest>

/** The part of a request that is spoken, without fields that Steward does not know. */
export const announcement = notifyRequest.omit({ phase: true, slug: true }).strip()
export type Announcement = z.infer<typeof announcement>

export const notifyAnswer = z
  .object({
    status: z.literal('success'),
    message: z.string(),
    /**
     * It will be spoken, or it duplicates a waiting announcement (`merged`). False if voice is off
     * for it.
     */
    queued: z.boolean(),
    id: z.string(),
    queue_depth: z.int().nonnegative(),
    merged: z.boolean().optional(),
    /** The spoken text was cut to `LIMITS.speechChars`. */
    truncated: z.boolean().optional(),
    phase: phaseOutcome.optional(),
  })
  .meta({ id: 'NotifyAnswer' })
export type NotifyAnswer = z.infer<typeof notifyAnswer>

/** The life of an announcement in `voice-events.jsonl`. */
export const VOICE_EVENT_TYPES = [
  'voice_start',
  'voice_complete',
  'voice_failed',
  'voice_skipped',
] as const
export type VoiceEventType = (typeof VOICE_EVENT_TYPES)[number]

export const SPEECH_PROVIDERS = ['elevenlabs', 'openai', 'system', 'browser'] as const
export type SpeechProviderName = (typeof SPEECH_PROVIDERS)[number]
