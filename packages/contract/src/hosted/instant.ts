import { z } from 'zod'

/** A moment as every object and event of the hosted API carries it: RFC 3339. */
export const instant = z.iso.datetime({ offset: true })

/** Keeps a string for ids: what they start with says what they name, and nothing parses them. */
export const hostedId = z.string().min(1).max(128)
