import Joi from 'joi';
import type { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import type { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { Secret } from 'kubernetes-models/v1/Secret';
import type { Service } from 'kubernetes-models/v1/Service';
import { parse, parseAllDocuments } from 'yaml';
import type { Files } from './files.js';
import { type Manifest, manifestOf } from './kubernetes-schema.js';

const KUSTOMIZATION = 'kustomization.yaml';

export interface Kustomization {
  apiVersion: string;
  kind: string;
  namespace: string;
  resources: string[];
  images: { name: string; newName: string; newTag: string }[];
}

/** What the manifests deploy, taken apart. */
export interface Deployment {
  files: Files;
  kustomization: Kustomization;
  manifests: readonly Manifest[];
  set: StatefulSet;
  pod: IPodSpec;
  container: IContainer;
  services: readonly Service[];
  settings: ConfigMap;
  secret: Secret;
  budget: PodDisruptionBudget;
  ingress: Ingress;
}

const KUSTOMIZATION_SCHEMA = Joi.object<Kustomization>({
  apiVersion: Joi.valid('kustomize.config.k8s.io/v1beta1').required(),
  kind: Joi.valid('Kustomization').required(),
  namespace: Joi.string().required(),
  resources: Joi.array().items(Joi.string()).min(1).required(),
  images: Joi.array()
    .items({
      name: Joi.string().required(),
      newName: Joi.string().required(),
      newTag: Joi.string().required().invalid('latest'),
    })
    .required(),
});

/**
 * Reads the manifests.
 * @throws Error where one is of no known kind, or a part is missing without which nothing else can be looked at
 */
export function readDeployment(files: Files): Deployment {
  const { [KUSTOMIZATION]: kustomizationText = '', ...rest } = files;
  const manifests = Object.entries(rest).flatMap(([name, text]) =>
    parseAllDocuments(text).map((document) => {
      const manifest = manifestOf(document.toJS());
      if (!manifest) throw new Error(`${name} has an object of an unknown kind`);
      return manifest;
    }),
  );
  const set = one(manifests, 'StatefulSet');
  const pod = set.spec?.template.spec;
  const container = pod?.containers[0];
  if (!pod || !container) throw new Error('the pods have no container');
  return {
    files,
    kustomization: Joi.attempt(parse(kustomizationText), KUSTOMIZATION_SCHEMA),
    manifests,
    ...{ set, pod, container },
    services: ofKind(manifests, 'Service'),
    settings: one(manifests, 'ConfigMap'),
    secret: one(manifests, 'Secret'),
    budget: one(manifests, 'PodDisruptionBudget'),
    ingress: one(manifests, 'Ingress'),
  };
}

/** The variables of the first pod's container, as Kubernetes puts them together. */
export function environmentOf({ set, container, settings, secret }: Deployment): Record<string, string> {
  const sources = new Map([
    [`config ${settings.metadata?.name}`, settings.data],
    [`secret ${secret.metadata?.name}`, secret.stringData],
  ]);
  const environment: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const source = configMapRef ? `config ${configMapRef.name}` : `secret ${secretRef?.name}`;
    Object.assign(environment, sources.get(source));
  }
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    environment[name] =
      valueFrom?.fieldRef?.fieldPath === 'metadata.name'
        ? `${set.metadata?.name}-0`
        : value.replace(/\$\((\w+)\)/g, (whole, named: string) => environment[named] ?? whole);
  }
  return environment;
}

function ofKind<Kind extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: Kind,
): Extract<Manifest, { kind: Kind }>[] {
  return manifests.filter(
    (manifest): manifest is Extract<Manifest, { kind: Kind }> => manifest.kind === kind,
  );
}

function one<Kind extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: Kind,
): Extract<Manifest, { kind: Kind }> {
  const [found, ...more] = ofKind(manifests, kind);
  if (!found || more.length > 0) throw new Error(`there must be one ${kind}`);
  return found;
}
