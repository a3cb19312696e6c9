import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';

const MODELS = [ConfigMap, Ingress, PodDisruptionBudget, Secret, Service, StatefulSet] as const;

/** An object of a kind that the schemas know. */
export type Manifest = InstanceType<(typeof MODELS)[number]>;

/** A document as an object of its kind; undefined when it says to be none that the schemas know. */
export function manifestOf(document: { apiVersion?: unknown; kind?: unknown }): Manifest | undefined {
  const { apiVersion, kind, ...rest } = document;
  const Model = MODELS.find((model) => model.apiVersion === apiVersion && model.kind === kind);
  return Model && new Model(rest);
}

/** What Kubernetes would not accept of an object, or would silently leave out. */
export function schemaFaults(manifest: Manifest): string[] {
  const { proxy, unread } = watch(manifest, `${manifest.kind} ${manifest.metadata?.name}`);
  try {
    proxy.validate();
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata?.name}: ${error instanceof Error ? error.message : error}`];
  }
  return unread().map((path) => `${path} is unknown`);
}

/**
 * The schemas allow fields that they do not name, as Kubernetes drops them without a word. But they ask for each field
 * that they do name: one that nobody has asked for is unknown.
 */
function watch<T extends object>(value: T, path: string): { proxy: T; unread(): string[] } {
  const seen = new Set<string>();
  const children = new Map<string, ReturnType<typeof watch>>();
  const proxy = new Proxy(value, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return found;
      seen.add(key);
      if (typeof found !== 'object' || found === null) return found;
      const child = children.get(key) ?? watch(found, `${path}/${key}`);
      children.set(key, child);
      return child.proxy;
    },
  });
  const unread = () => [
    ...Object.keys(value).flatMap((key) => (seen.has(key) ? [] : [`${path}/${key}`])),
    ...[...children.values()].flatMap((child) => child.unread()),
  ];
  return { proxy, unread };
}
