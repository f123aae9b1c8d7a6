import { z } from 'zod'

/** A timestamp in objects and events of the hosted API: RFC 3339. */
export const instant = z.iso.datetime({ offset: true })

/** Ids are plain strings: the prefix shows the kind, and no code parses them. */
export const hostedId = z.string().min(1).max(128)
