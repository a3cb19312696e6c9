import type { CallAction, CallView, SandboxClient } from '../../client/sandbox/client.js';

/** Calls somebody, and ends the call. @param end how the call ends; without it, the call keeps ringing */
export async function ringAndEnd(
  { activity }: SandboxClient,
  { from, to, video, end }: { from: string; to: string; video: boolean; end?: CallAction | undefined },
): Promise<CallView> {
  const call = await activity.ring(from, { to, video });
  if (!end) return call;
  const isCallers = end === 'cancel' || end === 'timeout';
  return activity.act(isCallers ? from : to, call.callId, end);
}
